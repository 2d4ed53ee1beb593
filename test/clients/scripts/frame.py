import json
import os

BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]
HEADERS = json.loads(os.environ["HEADERS"])
PROVIDER_KEY = os.environ["PROVIDER_KEY"]
HELLO = "say something"
WEATHER = "what is the weather like in Zürich?"

# A tool in the format of chat APIs.
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]


def chat_calls(client, model):
    """The calls of a client that is built as OpenAI's is, by name."""

    def ask(text, **more):
        messages = [{"role": "user", "content": text}]
        return client.chat.completions.create(model=model, messages=messages, max_tokens=200, **more)

    def told(answer):
        return answer.model_dump()

    return {
        "call_plain": lambda: told(ask(HELLO)),
        "call_stream": lambda: [told(chunk) for chunk in ask(HELLO, stream=True)],
        "call_tool": lambda: told(ask(WEATHER, tools=TOOLS)),
        "call_tool_stream": lambda: [told(chunk) for chunk in ask(WEATHER, tools=TOOLS, stream=True)],
    }


# HERE ARE THE CALLS: functions whose names begin with `call_`


def tell(call, outcome):
    print(json.dumps({"call": call, **outcome}, default=str), flush=True)


def status_of(error):
    if isinstance(getattr(error, "response", None), dict):
        # None for an error in a stream.
        return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    names = ("status_code", "code", "http_status")
    return next((getattr(error, name) for name in names if getattr(error, name, None)), None)


def headers_of(error):
    """The headers of an error, in the place where each client keeps them."""
    response = getattr(error, "response", None) or getattr(error, "raw_response", None)
    if isinstance(response, dict):
        return response.get("ResponseMetadata", {}).get("HTTPHeaders")
    return getattr(response, "headers", None) or getattr(error, "headers", None)


def gateway_type_of(error):
    return (headers_of(error) or {}).get("x-gateway-error-type")


for _name in os.environ["CALLS"].split():
    try:
        tell(_name, {"value": globals()["call_" + _name]()})
    except Exception as _error:
        # Frameworks raise their own errors from those of a client, which have the status.
        _status = status_of(_error) or status_of(_error.__cause__)
        _said = {"type": type(_error).__name__, "message": str(_error)}
        if isinstance(_status, int):
            _said["status"] = _status
        _type = gateway_type_of(_error) or gateway_type_of(_error.__cause__)
        if _type:
            _said["gatewayType"] = _type
        tell(_name, {"error": _said})
