# Each call makes one stream. Prints its text and, if the client reports it, how it ended.
ASKED = [{"role": "user", "content": HELLO}]


def chunks(stream):
    said = []
    for chunk in stream:
        if chunk.choices:
            said.append(chunk.choices[0].delta.content or "")
    return "".join(said)


def openai():
    from openai import OpenAI

    return OpenAI(base_url=BASE_URL + "/v1", api_key=API_KEY, max_retries=0)


def call_openai_chat():
    return chunks(openai().chat.completions.create(model="gpt-4o", messages=ASKED, stream=True))


def call_openai_completions():
    stream = openai().completions.create(
        model="gpt-3.5-turbo-instruct", prompt=HELLO, max_tokens=100, stream=True
    )
    return "".join(chunk.choices[0].text for chunk in stream)


def call_openai_responses():
    stream = openai().responses.create(model="gpt-4o", input=HELLO, stream=True)
    return "".join(event.delta for event in stream if event.type == "response.output_text.delta")


def call_anthropic():
    from anthropic import Anthropic

    client = Anthropic(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
    stream = client.messages.create(
        model="claude-3-haiku-20240307", max_tokens=100, messages=ASKED, stream=True
    )
    return "".join(event.delta.text for event in stream if event.type == "content_block_delta")


def google():
    from google import genai

    return genai.Client(api_key=API_KEY, http_options={"base_url": BASE_URL})


def call_google():
    # Keep a reference to the client: otherwise, it is closed.
    client = google()
    stream = client.models.generate_content_stream(model="gemini-2.0-flash", contents=HELLO)
    return "".join(chunk.text or "" for chunk in stream)


def call_google_async():
    import asyncio

    async def read():
        client = google()
        stream = await client.aio.models.generate_content_stream(model="gemini-2.0-flash", contents=HELLO)
        return "".join([chunk.text or "" async for chunk in stream])

    return asyncio.run(read())


def call_cohere_v2():
    import cohere

    said = []
    client = cohere.ClientV2(api_key=API_KEY, base_url=BASE_URL)
    for event in client.chat_stream(model="command-r-08-2024", messages=ASKED):
        if event.type == "content-delta":
            said.append(event.delta.message.content.text)
        elif event.type == "message-end":
            said.append(f"<{event.delta.finish_reason}: {getattr(event.delta, 'error', None)}>")
    return "".join(said)


def call_cohere_v1():
    import cohere

    said = []
    client = cohere.Client(api_key=API_KEY, base_url=BASE_URL)
    for event in client.chat_stream(model="command-r-08-2024", message=HELLO):
        if event.event_type == "text-generation":
            said.append(event.text)
        elif event.event_type == "stream-end":
            said.append(f"<{event.finish_reason}: {getattr(event, 'message', None)}>")
    return "".join(said)


def call_mistral():
    try:
        from mistralai import Mistral
    except ImportError:
        from mistralai.client import Mistral
    client = Mistral(api_key=API_KEY, server_url=BASE_URL)
    stream = client.chat.stream(model="mistral-small-latest", messages=ASKED)
    return "".join(event.data.choices[0].delta.content or "" for event in stream)


def call_groq():
    from groq import Groq

    client = Groq(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
    return chunks(client.chat.completions.create(model="llama-3.3-70b-versatile", messages=ASKED, stream=True))


def call_together():
    from together import Together

    client = Together(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
    return chunks(client.chat.completions.create(model="meta-llama/Llama-3.3-70B-Instruct-Turbo", messages=ASKED, stream=True))


def call_ollama():
    from ollama import Client

    client = Client(host=BASE_URL, headers={"authorization": "Bearer " + API_KEY})
    stream = client.chat(model="any", messages=ASKED, stream=True)
    return "".join(part["message"]["content"] for part in stream)


def litellm(model, path):
    import litellm

    stream = litellm.completion(
        model=model, messages=ASKED, max_tokens=100, stream=True, num_retries=0,
        api_key=API_KEY, api_base=BASE_URL + path,
    )
    return chunks(stream)


def call_litellm_openai():
    return litellm("openai/gpt-4o", "/v1")


def call_litellm_anthropic():
    return litellm("anthropic/claude-3-haiku-20240307", "")


def call_litellm_gemini():
    # Older versions require the address of the method.
    from importlib.metadata import version

    is_old = tuple(int(part) for part in version("litellm").split(".")[:2]) < (1, 80)
    path = "/v1beta/models/gemini-2.0-flash" if is_old else "/v1beta"
    return litellm("gemini/gemini-2.0-flash", path)


def call_litellm_mistral():
    return litellm("mistral/mistral-small-latest", "/v1")


def call_litellm_groq():
    return litellm("groq/llama-3.3-70b-versatile", "/v1")


def call_langchain_openai():
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="gpt-4o", base_url=BASE_URL + "/v1", api_key=API_KEY, max_retries=0)
    return "".join(chunk.content for chunk in model.stream(HELLO))


def call_langchain_anthropic():
    from langchain_anthropic import ChatAnthropic

    model = ChatAnthropic(
        model="claude-3-haiku-20240307", base_url=BASE_URL, api_key=API_KEY, max_tokens=100, max_retries=0
    )
    return "".join(chunk.content for chunk in model.stream(HELLO) if isinstance(chunk.content, str))


def call_langchain_google():
    from langchain_google_genai import ChatGoogleGenerativeAI

    model = ChatGoogleGenerativeAI(
        model="gemini-2.0-flash", google_api_key=API_KEY, base_url=BASE_URL, max_retries=0
    )
    return "".join(chunk.content for chunk in model.stream(HELLO) if isinstance(chunk.content, str))
