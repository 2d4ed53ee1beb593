try:
    import httpx2 as httpx
except ImportError:
    import httpx

try:
    from mistralai import Mistral
except ImportError:
    from mistralai.client import Mistral

client = Mistral(api_key=API_KEY, server_url=BASE_URL, client=httpx.Client(headers=HEADERS, timeout=60))


def params(text):
    messages = [{"role": "user", "content": text}]
    return {"model": "mistral-small-latest", "messages": messages, "max_tokens": 200}


def call_plain():
    return client.chat.complete(**params(HELLO)).model_dump(mode="json")


def call_stream():
    return [event.model_dump(mode="json") for event in client.chat.stream(**params(HELLO))]


def call_tool():
    return client.chat.complete(**params(WEATHER), tools=TOOLS).model_dump(mode="json")
