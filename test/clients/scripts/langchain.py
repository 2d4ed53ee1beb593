def model():
    name = os.environ["MODEL"]
    if name.startswith("gpt"):
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(
            model=name, base_url=BASE_URL + "/v1", api_key=API_KEY, default_headers=HEADERS, max_tokens=200
        )
    if name.startswith("claude"):
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(
            model=name, base_url=BASE_URL, api_key=API_KEY, default_headers=HEADERS, max_tokens=200
        )
    from langchain_google_genai import ChatGoogleGenerativeAI

    return ChatGoogleGenerativeAI(
        model=name,
        base_url=BASE_URL,
        google_api_key=API_KEY,
        additional_headers=HEADERS,
        max_output_tokens=200,
        max_retries=2,
    )


def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return city


def told(message):
    return [message.content, [call["args"] for call in message.tool_calls], message.usage_metadata]


def call_plain():
    return told(model().invoke(HELLO))


def call_stream():
    return [told(chunk) for chunk in model().stream(HELLO)]


def call_tool():
    return told(model().bind_tools([get_weather]).invoke(WEATHER))
