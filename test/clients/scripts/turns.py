# Makes two turns per client. Prints the answers, and the parts that the client keeps.
ASKED = [HELLO, "and then?"]


def call_google_chat():
    from google import genai

    client = genai.Client(api_key=API_KEY, http_options={"base_url": BASE_URL})
    chat = client.chats.create(model="gemini-2.5-flash")
    return [
        "".join(chunk.text or "" for chunk in chat.send_message_stream(question)) for question in ASKED
    ]


def call_adk():
    import asyncio

    from google.adk.agents import Agent
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    os.environ["GOOGLE_GEMINI_BASE_URL"] = BASE_URL
    os.environ["GOOGLE_API_KEY"] = API_KEY

    async def talk():
        runner = InMemoryRunner(agent=Agent(name="speaker", model="gemini-2.5-flash"), app_name="app")
        session = await runner.session_service.create_session(app_name="app", user_id="user")
        said = []
        for question in ASKED:
            last = None
            async for event in runner.run_async(
                user_id="user",
                session_id=session.id,
                new_message=types.Content(role="user", parts=[types.Part(text=question)]),
                run_config=RunConfig(streaming_mode=StreamingMode.SSE),
            ):
                if event.is_final_response() and not event.partial and event.content:
                    last = "".join(part.text or "" for part in event.content.parts)
            said.append(last)
        return said

    return asyncio.run(talk())


def call_strands():
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    @tool
    def look() -> str:
        """Looks."""
        return "seen"

    model = OpenAIModel(
        client_args={"base_url": BASE_URL + "/v1", "api_key": API_KEY, "max_retries": 0}, model_id="gpt-4o"
    )
    agent = Agent(model=model, tools=[look], callback_handler=None)
    return [str(agent(question)).strip() for question in ASKED]


def call_langchain_openai():
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="gpt-4o", base_url=BASE_URL + "/v1", api_key=API_KEY, max_retries=0)
    messages = []
    said = []
    for question in ASKED:
        messages.append(("user", question))
        text = "".join(str(chunk.content) for chunk in model.stream(messages))
        messages.append(("assistant", text))
        said.append(text)
    return said
