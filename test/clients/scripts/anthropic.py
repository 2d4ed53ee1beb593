from anthropic import Anthropic

client = Anthropic(base_url=BASE_URL, api_key=API_KEY, default_headers=HEADERS)
MODEL = "claude-3-5-haiku-20241022"
TOOLS = [
    {
        "name": "get_weather",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
]


def ask(text, **more):
    messages = [{"role": "user", "content": text}]
    return client.messages.create(model=MODEL, messages=messages, max_tokens=200, **more)


def call_plain():
    return ask(HELLO).model_dump()


def call_stream():
    return [event.model_dump() for event in ask(HELLO, stream=True)]


def call_helper():
    messages = [{"role": "user", "content": HELLO}]
    with client.messages.stream(model=MODEL, messages=messages, max_tokens=200) as stream:
        text = "".join(stream.text_stream)
        return [text, stream.get_final_message().model_dump()]


def call_tool():
    return ask(WEATHER, tools=TOOLS).model_dump()


def call_tool_stream():
    return [event.model_dump() for event in ask(WEATHER, tools=TOOLS, stream=True)]
