from together import Together

try:
    client = Together(base_url=BASE_URL, api_key=API_KEY, default_headers=HEADERS)
except TypeError:  # before 2.0
    client = Together(base_url=BASE_URL + "/v1", api_key=API_KEY, supplied_headers=HEADERS)
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]


def ask(text, **more):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="meta-llama/Llama-3.3-70B-Instruct-Turbo", messages=messages, max_tokens=200, **more)


def call_plain():
    return ask(HELLO).model_dump()


def call_stream():
    return [chunk.model_dump() for chunk in ask(HELLO, stream=True)]


def call_tool():
    return ask(WEATHER, tools=TOOLS).model_dump()


def call_tool_stream():
    return [chunk.model_dump() for chunk in ask(WEATHER, tools=TOOLS, stream=True)]
