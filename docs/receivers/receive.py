"""Receives Oriel's webhooks with Python's standard library alone. Copy it whole, or `verify` into the framework you have.

    ORIEL_WEBHOOK_SECRET=whsec_... PORT=5005 python3 receive.py     # POST http://127.0.0.1:5005/webhook
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 1_000_000


class Refused(Exception):
    """Not from Oriel, or not from now. Answer 400."""


def verify(raw_body: bytes, headers, secret: str, now: int) -> dict:
    """The event, if this delivery was signed with `secret` within five minutes of `now`; raises Refused otherwise.

    One of the two formats is enough: both are HMACs under the same secret, and whoever can make one can make the other.

    `raw_body`: the bytes as they arrived (Flask `request.get_data()`, Django `request.body`). `headers`: any mapping of names to texts.
    """
    key = key_of(secret)
    sent = {name.lower(): value for name, value in headers.items()}

    if "webhook-signature" in sent:
        # Standard Webhooks. An id has no full stop, for that is what parts it from the time.
        id = sent.get("webhook-id", "")
        if not id or "." in id:
            raise Refused("signature_missing")
        timestamp = read_timestamp(sent.get("webhook-timestamp"))
        digest = hmac.digest(key, f"{id}.{timestamp}.".encode() + raw_body, hashlib.sha256)
        expected = "v1," + base64.b64encode(digest).decode()
        signatures = sent["webhook-signature"].split(" ")
    elif "oriel-signature" in sent:
        signatures = sent["oriel-signature"].split(",")
        times = [part.removeprefix("t=") for part in signatures if part.startswith("t=")]
        timestamp = read_timestamp(times[0] if len(times) == 1 else None)
        expected = "v1=" + hmac.digest(secret.encode(), f"{timestamp}.".encode() + raw_body, hashlib.sha256).hex()
    else:
        raise Refused("signature_missing")

    # Several, while the secret is being rotated. Every one is compared, so that time does not tell which fits.
    fits = [hmac.compare_digest(signature.encode(), expected.encode()) for signature in signatures]
    if not any(fits):
        raise Refused("signature_mismatch")
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise Refused("timestamp_out_of_tolerance")
    try:
        return json.loads(raw_body)
    except ValueError:
        raise Refused("body_malformed") from None


def key_of(secret: str) -> bytes:
    """The 24 to 64 bytes that whsec_... stands for."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        raise Refused("secret_invalid") from None
    if secret != "whsec_" + base64.b64encode(key).decode() or not 24 <= len(key) <= 64:
        raise Refused("secret_invalid")
    return key


def read_timestamp(text: str | None) -> str:
    """Kept as text, for the text is what was signed."""
    if not re.fullmatch(r"[1-9][0-9]{0,11}", text or ""):
        raise Refused("timestamp_invalid")
    return text


def take(event: dict) -> None:
    """Yours: write the event down and return. What it brings about is done afterwards, by somebody else."""
    print(event["id"], event["type"], event["object_sequence"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if self.path != "/webhook":
            return self.answer(404)
        if not re.fullmatch(r"[0-9]{1,7}", length) or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        try:
            raw_body = self.rfile.read(int(length))
            event = verify(raw_body, self.headers, os.environ.get("ORIEL_WEBHOOK_SECRET", ""), int(time.time()))
        except Refused as error:
            id = self.headers.get("Webhook-Id", "")
            self.log_error("refused: %s %s", error, id if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id) else "(no id)")
            return self.answer(400, f"Webhook refused: {error}.")
        take(event)  # if this raises, nothing is answered, and Oriel sends it again
        self.answer(204)

    def answer(self, status: int, text: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())


if __name__ == "__main__":
    try:
        key_of(os.environ.get("ORIEL_WEBHOOK_SECRET", ""))
    except Refused:
        sys.exit("ORIEL_WEBHOOK_SECRET must be the signing secret exactly as shown: whsec_... without spaces or quotes.")
    port = int(os.environ.get("PORT") or 5005)
    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    print(f"listening on http://127.0.0.1:{port}/webhook", flush=True)
    server.serve_forever()
