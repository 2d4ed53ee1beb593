import cohere
import httpx

client = cohere.ClientV2(api_key=API_KEY, base_url=BASE_URL, httpx_client=httpx.Client(headers=HEADERS))


def params(text):
    messages = [{"role": "user", "content": text}]
    return {"model": "command-r-08-2024", "messages": messages, "max_tokens": 200}


def call_plain():
    return client.chat(**params(HELLO)).dict()


def call_stream():
    return [event.dict() for event in client.chat_stream(**params(HELLO))]


def call_tool():
    return client.chat(**params(WEATHER), tools=TOOLS).dict()
