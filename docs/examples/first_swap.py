"""A quote and the unsigned transaction for it, with Python's standard library alone."""
import json
import os
import urllib.error
import urllib.parse
import urllib.request

GATEWAY = os.environ.get("GATEWAY", "http://localhost:8080")


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(GATEWAY + path, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        refused = json.load(error)
        raise SystemExit(f"{refused['code']}: {refused['error']}")


order = {
    "chain": "base",
    "side": "sell",
    "token": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    "amount": "250",
    "slippageBps": 100,
    "from": "0x52908400098527886E0F7030069857D2E4169EE7",
}
quote = ask("/api/quote?" + urllib.parse.urlencode(order))
# The whole quote goes back, unchanged.
built = ask("/api/build", {**order, "quote": quote})
print(built["provider"], built["verification"]["level"], built["to"])
