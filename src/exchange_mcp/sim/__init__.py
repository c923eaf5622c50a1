"""A simulated exchange that speaks Binance's spot and USD-M REST format over loopback HTTPS.

A program of its own: nothing in here imports anything of ours from outside of this package, and nothing in
here knows ccxt. One request's way: app (host, faults) > venue (route, checks) > an endpoint (spot_*, usdm_*)
> exchange (clock, markets, accounts, keys). What was due to an account's orders happens before it is answered:
settlement > the engines (spot, usdm, algo), which alone move wallets, positions and orders. Below that everything
is pure: prices, books, matching, history, filters, margin.
"""

from exchange_mcp.sim.clock import Clock, SystemClock
from exchange_mcp.sim.control import Control
from exchange_mcp.sim.faults import Close, Delay, FaultRule, Hang, Replace
from exchange_mcp.sim.order_records import OrderRecord
from exchange_mcp.sim.program import run
from exchange_mcp.sim.rendezvous import RendezvousError
from exchange_mcp.sim.server import SimulatedExchange

__all__ = [
    "Clock",
    "Close",
    "Control",
    "Delay",
    "FaultRule",
    "Hang",
    "OrderRecord",
    "RendezvousError",
    "Replace",
    "SimulatedExchange",
    "SystemClock",
    "run",
]
