import litellm

litellm.suppress_debug_info = True
MODEL = os.environ["MODEL"]
BASE = BASE_URL + os.environ["BASE_PATH"]


def ask(text, **more):
    messages = [{"role": "user", "content": text}]
    return litellm.completion(
        model=MODEL, messages=messages, max_tokens=200, api_base=BASE, api_key=API_KEY, extra_headers=HEADERS, **more
    )


def told(message):
    calls = [call.function.model_dump() for call in message.tool_calls or []]
    return [message.content, calls]


def call_plain():
    answer = ask(HELLO)
    return [told(answer.choices[0].message), answer.choices[0].finish_reason, answer.usage.total_tokens]


def call_stream():
    return [told(chunk.choices[0].delta) for chunk in ask(HELLO, stream=True)]


def call_tool():
    return told(ask(WEATHER, tools=TOOLS).choices[0].message)
