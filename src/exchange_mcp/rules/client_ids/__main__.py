"""Prints the page about client order ids."""

import sys

from exchange_mcp.rules.client_ids.page import page

sys.stdout.write(page())
