"""The evidence of one attempt, from what `writes` saw of it."""

from urllib.parse import urlsplit

from exchange_mcp.model.outcomes import Action, Evidence
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage
from exchange_mcp.venue.masking import masked_body
from exchange_mcp.venue.render import RenderedWrite
from exchange_mcp.venue.writes import Sent


def evidence(write: RenderedWrite, sent: Sent) -> Evidence:
    """All that was seen of this attempt at this write.

    Where the write's one send was spent by another attempt than this one, that is said: nothing of this attempt left,
    and nothing follows from it about the other.
    """
    attempt = sent.attempt
    action: Action
    client_order_id = order_id = leverage = None
    match write.request:
        case PlaceOrder():
            action, client_order_id = "place", write.request.client_order_id
        case CancelOrder():
            action, client_order_id = "cancel", write.request.client_order_id
            order_id = write.request.order_id
        case SetLeverage():
            action, leverage = "leverage", write.request.leverage
    return Evidence(
        venue=write.client.id,
        action=action,
        url="" if attempt is None else urlsplit(attempt.url)._replace(query="", fragment="").geturl(),
        is_sent=sent.is_on_wire,
        is_token_spent=write.token.is_spent if attempt is None else attempt.passes > 1,
        status=None if attempt is None else attempt.status,
        body=None if attempt is None else attempt.body,
        masked=None if attempt is None else masked_body(write.client, attempt),
        exception=None if sent.error is None else type(sent.error).__name__,
        client_order_id=client_order_id,
        order_id=order_id,
        leverage=leverage,
    )
