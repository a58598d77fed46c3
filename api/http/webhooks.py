"""Webhooks: made, changed and watched by the API key that owns them."""

from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request

from api import webhooks
from api.http.declare import Blueprint, context, desk
from api.http.examples import NEW_SECRET, NEW_WEBHOOK, NOTHING, WEBHOOK_CHANGES
from api.http.idempotency import answered
from api.http.problems import NOT_FOUND
from api.http.responses import REVALIDATED, answer, respond
from api.http.schemas import (
    DeliveriesQuery,
    DeliveriesSchema,
    DeliverySchema,
    MadeSecretSchema,
    MadeWebhookSchema,
    NewSecretSchema,
    NewWebhookSchema,
    NothingSchema,
    WebhookChangesSchema,
    WebhookSchema,
    WebhooksSchema,
)

blueprint: Final = Blueprint("webhooks", "Webhooks: a URL of one's own is told what happens in one's games.")


@blueprint.route("/v1/webhooks", methods=["POST"])
@blueprint.takes_key()
@blueprint.body(NewWebhookSchema, most=lambda settings: settings.max_body, examples=NEW_WEBHOOK)
@blueprint.response(201, MadeWebhookSchema, headers={"Location": "Location"})
def create_webhook(owner: int, body: dict[str, Any]) -> Response:
    """Make a webhook

    From now on its URL is told what happens in the caller's games. Its first secret, by which deliveries are known to
    be genuine, is shown this once.
    """
    private = context().settings.webhooks_private
    return answered(
        lambda made: answer(made, 201, {"Location": f"/v1/webhooks/{made['id']}"}),
        partial(webhooks.create_webhook, desk(), owner, private, **body),
    )


@blueprint.route("/v1/webhooks")
@blueprint.takes_key()
@blueprint.response(200, WebhooksSchema)
def list_webhooks(owner: int) -> Response:
    """List the caller's webhooks

    All of them, oldest first, without their secrets.
    """
    return answer({"webhooks": webhooks.list_webhooks(desk(), owner)}, 200, REVALIDATED)


@blueprint.route("/v1/webhooks/<webhook>")
@blueprint.takes_key()
@blueprint.response(200, WebhookSchema)
@blueprint.fails(NOT_FOUND)
def get_webhook(owner: int, webhook: str) -> Response:
    """Get a webhook

    Where it goes to and what it tells of, with the ids of its secrets.
    """
    return answer(webhooks.get_webhook(desk(), owner, webhook), 200, REVALIDATED)


@blueprint.route("/v1/webhooks/<webhook>", methods=["PATCH"])
@blueprint.takes_key()
@blueprint.body(WebhookChangesSchema, most=lambda settings: settings.max_body, examples=WEBHOOK_CHANGES)
@blueprint.response(200, WebhookSchema)
@blueprint.fails(NOT_FOUND)
def change_webhook(owner: int, body: dict[str, Any], webhook: str) -> Response:
    """Change a webhook

    What is left out stays. While it is `paused` nothing is noted for it, and what was still to be delivered fails.
    """
    private = context().settings.webhooks_private
    return answered(answer, partial(webhooks.change_webhook, desk(), owner, private, webhook, body))


@blueprint.route("/v1/webhooks/<webhook>", methods=["DELETE"])
@blueprint.takes_key()
@blueprint.response(204)
@blueprint.fails(NOT_FOUND)
def delete_webhook(owner: int, webhook: str) -> Response:
    """Delete a webhook

    With its secrets and the list of its deliveries. What is on its way may still arrive.
    """
    webhooks.delete_webhook(desk(), owner, webhook)
    return respond(None, 204, None, {})


@blueprint.route("/v1/webhooks/<webhook>/secrets", methods=["POST"])
@blueprint.takes_key()
@blueprint.body(NewSecretSchema, most=lambda settings: settings.max_body, examples=NEW_SECRET)
@blueprint.response(201, MadeSecretSchema)
@blueprint.fails(NOT_FOUND)
def create_webhook_secret(owner: int, body: dict[str, Any], webhook: str) -> Response:
    """Make another secret

    It is shown this once. Each delivery is signed with every secret that the webhook has, so that the receiver can
    change from one to the next.
    """
    return answered(_created, partial(webhooks.create_secret, desk(), owner, webhook, **body))


def _created(made: webhooks.Shown) -> Response:
    return answer(made, 201)


@blueprint.route("/v1/webhooks/<webhook>/secrets/<signing>", methods=["DELETE"])
@blueprint.takes_key()
@blueprint.response(204)
@blueprint.fails(NOT_FOUND)
def delete_webhook_secret(owner: int, webhook: str, signing: str) -> Response:
    """Delete a secret

    Nothing is signed with it any more. The newest one can't be deleted.
    """
    webhooks.delete_secret(desk(), owner, webhook, signing)
    return respond(None, 204, None, {})


@blueprint.route("/v1/webhooks/<webhook>/deliveries")
@blueprint.takes_key()
@blueprint.query(DeliveriesQuery)
@blueprint.response(200, DeliveriesSchema, headers={"Link": "Link"})
@blueprint.fails(NOT_FOUND)
def list_deliveries(owner: int, query: dict[str, Any], webhook: str) -> Response:
    """List the deliveries

    Newest first, a page at a time, each with what became of it. They are kept for 30 days.
    """
    page = webhooks.list_deliveries(desk(), owner, webhook, **query)
    headers = dict(REVALIDATED)
    if "next" in page:
        following = urlencode(request.args.to_dict() | {"cursor": page["next"]})
        headers["Link"] = f'</v1/webhooks/{webhook}/deliveries?{following}>; rel="next"'
    return answer(page, 200, headers)


@blueprint.route("/v1/webhooks/<webhook>/deliveries/<delivery>/replay", methods=["POST"])
@blueprint.takes_key()
@blueprint.body(NothingSchema, most=lambda settings: settings.max_body, examples=NOTHING)
@blueprint.response(202, DeliverySchema)
@blueprint.fails(NOT_FOUND)
def replay_delivery(owner: int, _: dict[str, Any], webhook: str, delivery: str) -> Response:
    """Deliver again

    The same delivery, under the same `webhook-id`, at once and with all its attempts anew, whatever became of it.
    """
    return answered(_begun, partial(webhooks.replay_delivery, desk(), owner, webhook, delivery))


@blueprint.route("/v1/webhooks/<webhook>/ping", methods=["POST"])
@blueprint.takes_key()
@blueprint.body(NothingSchema, most=lambda settings: settings.max_body, examples=NOTHING)
@blueprint.response(202, DeliverySchema)
@blueprint.fails(NOT_FOUND)
def ping_webhook(owner: int, _: dict[str, Any], webhook: str) -> Response:
    """Send a test

    Delivers a `webhook.ping`, which says nothing else, as everything is delivered.
    """
    return answered(_begun, partial(webhooks.ping, desk(), owner, webhook))


def _begun(delivery: webhooks.Shown) -> Response:
    return answer(delivery, 202)
