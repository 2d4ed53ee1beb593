from groq import Groq

# The client adds `/openai` itself, although the provider's base URL contains it.
client = Groq(base_url=BASE_URL.removesuffix("/openai"), api_key=API_KEY, default_headers=HEADERS)
globals().update(chat_calls(client, "llama-3.1-8b-instant"))
