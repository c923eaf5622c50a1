"""Whether a signed request is good: key, time, signature, permission, in that order.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md (request security and timing)
and https://developers.binance.com/docs/derivatives/usds-margined-futures/general-info
"""

import hashlib
import hmac

from exchange_mcp.sim import errors
from exchange_mcp.sim.keys import Access, ApiKey, KeyRing, is_well_formed
from exchange_mcp.sim.wire import Params, Request, read_integer

DEFAULT_WINDOW_MS = 5_000
MAX_WINDOW_MS = 60_000
MAX_AHEAD_MS = 1_000
OWN_PARAMS = frozenset({"timestamp", "recvWindow", "signature"})
"""What every signed request carries besides its endpoint's own parameters."""


def signature(secret: str, payload: str) -> str:
    """Return the HMAC-SHA256, in hex, of what is signed: query and body as sent, nothing between them."""
    return hmac.new(secret.encode(), payload.encode("latin-1"), hashlib.sha256).hexdigest()


def authenticate(request: Request, params: Params, keys: KeyRing, now_ms: int, access: Access) -> ApiKey:
    """Return the key that signed a request, or raise the VenueError that the venue would answer.

    -2014 for a key that cannot be one, -1131 for a window above 60,000 ms, -1102 for a missing timestamp or
    signature, -2015 for an unknown key, -1021 for a timestamp outside of the window or 1,000 ms ahead, -1022
    for a wrong signature, -2015 for a key that may not do this.
    """
    if not is_well_formed(request.api_key):
        raise errors.bad_key_format()
    window = params.integer("recvWindow")
    if window is None:
        window = DEFAULT_WINDOW_MS
    if window > MAX_WINDOW_MS:
        raise errors.window_too_wide()
    timestamp = read_integer("timestamp", params.mandatory("timestamp"))
    params.mandatory("signature")
    key = keys.find(request.api_key)
    if key is None:
        raise errors.rejected_key()
    if timestamp >= now_ms + MAX_AHEAD_MS:
        raise errors.ahead_of_time()
    if now_ms - timestamp > window:
        raise errors.outside_window()
    if not _is_signed_by(request, key.secret):
        raise errors.bad_signature()
    if not key.permissions.allow(access):
        raise errors.rejected_key()
    return key


def _is_signed_by(request: Request, secret: str) -> bool:
    payload, _, given = (request.query + request.body).rpartition("signature=")
    expected = signature(secret, payload.removesuffix("&"))
    return hmac.compare_digest(expected.encode(), given.lower().encode())
