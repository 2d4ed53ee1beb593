import json
import os

BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]
HEADERS = json.loads(os.environ["HEADERS"])
PROVIDER_KEY = os.environ["PROVIDER_KEY"]
HELLO = "say something"
WEATHER = "what is the weather like in Zürich?"

# HERE ARE THE CALLS: functions whose names begin with `call_`


def tell(call, outcome):
    print(json.dumps({"call": call, **outcome}, default=str), flush=True)


for _name in os.environ["CALLS"].split():
    try:
        tell(_name, {"value": globals()["call_" + _name]()})
    except Exception as _error:
        _status = getattr(_error, "status_code", None) or getattr(_error, "code", None)
        _status = _status or getattr(_error, "http_status", None)
        if hasattr(_error, "response") and isinstance(_error.response, dict):
            _status = _error.response["ResponseMetadata"]["HTTPStatusCode"]
        _said = {"type": type(_error).__name__, "message": str(_error)}
        tell(_name, {"error": {**_said, **({"status": _status} if isinstance(_status, int) else {})}})
