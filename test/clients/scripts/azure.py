from openai import AzureOpenAI

client = AzureOpenAI(
    azure_endpoint=BASE_URL,
    azure_deployment="gpt-4o",
    api_version="2024-10-21",
    api_key=API_KEY,
    default_headers=HEADERS,
)


def ask(**more):
    return client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": HELLO}], max_tokens=200, **more
    )


def call_plain():
    return ask().model_dump()


def call_stream():
    return [chunk.model_dump() for chunk in ask(stream=True)]
