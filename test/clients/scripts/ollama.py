from ollama import Client

client = Client(host=BASE_URL, headers={"Authorization": "Bearer " + API_KEY, **HEADERS})
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "tells the weather",
            "parameters": {
                "type": "object",
                "required": ["city"],
                "properties": {"city": {"type": "string", "description": "its name"}},
            },
        },
    }
]


def ask(text, **more):
    messages = [{"role": "user", "content": text}]
    return client.chat(model="llama3.2", messages=messages, options={"num_predict": 200}, **more)


def call_plain():
    return ask(HELLO).model_dump()


def call_stream():
    return [chunk.model_dump() for chunk in ask(HELLO, stream=True)]


def call_tool():
    return ask(WEATHER, tools=TOOLS).model_dump()


def call_generate():
    answer = client.generate(model="llama3.2", prompt=HELLO, options={"num_predict": 200})
    return answer.response
