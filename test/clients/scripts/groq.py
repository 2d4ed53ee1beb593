from groq import Groq

# It adds `/openai` itself, which the provider's own base URL has.
client = Groq(base_url=BASE_URL.removesuffix("/openai"), api_key=API_KEY, default_headers=HEADERS)
globals().update(chat_calls(client, "llama-3.1-8b-instant"))
