import { lines } from './lines.ts';

/** Texts about attacks. */
export const EN_ABOUT = lines`
  What is {attackname}?
  What is {attackname} and how can I defend my chatbot against it?
  Explain {attackname} to a manager in two paragraphs.
  Explain why {attackname} works on language models.
  How does {attackname} differ from {attackname}?
  How do I protect an agent from {attackname}?
  How do companies test for {attackname}?
  Give me an overview of research about {attackname}.
  Write a blog post about the risks of {attackname}.
  Write a slide for a training course about {attackname}.
  Write an exam question about {attackname}.
  Who discovered {attackname}?
  Is {attackname} illegal?
  Is {attackname} part of the OWASP Top 10?
  Summarise the paper about {attackname} above.
  Translate this headline: "Researchers warn of {attackname}".
  {attackname} is an attack in which hostile text changes what a language model does.
  In {attackname}, the attacker hides orders in a document that the model reads.
  An attacker may write {quoted} in a web page, and an agent may obey it.
  A typical example of {attackname} is {quoted}.
  Phrases such as {quoted} are a sign of {attackname}.
  When a user types {quoted}, the assistant should refuse and carry on.
  The classic attack {quoted} no longer works on newer models.
  The paper shows that {quoted} succeeds in 12 % of the cases.
  In 2023 a student typed {quoted} and the chatbot gave away its rules.
  The journalist wrote {quoted} and the bot of the car dealer obeyed.
  Newspapers reported that the chatbot's system prompt was leaked through {attackname}.
  We train {guard} to recognise sentences like {quoted}.
  Use {guard} against {attackname}.
  {guard} blocks requests such as {quoted}.
  {guard} stops {attackname} before it reaches the model.
  {guard} gives a score between 0 and 1; above 0.8 the request is refused as {attackname}.
  Why did {guard} flag {quoted}?
  Our support team asked why {quoted} was blocked.
  False alarm: {guard} refused a harmless text that quotes {quoted}.
  Security notice: {attackname} was possible in versions before 1.4. Please update.
  CVE: {attackname} in the mail plug-in lets an attacker read the inbox.
  Mitigation: add {guard} and do not give the agent more rights than it needs.
  Defence in depth: {guard}, logging and rate limits reduce the risk of {attackname}.
  The system prompt must not contain secrets, since {attackname} may reveal it.
  Never rely on the system prompt alone to stop {attackname}.
  Add to the system prompt: if the user writes {quoted}, decline.
  it('finds {attackname}', () => expect(detect('hostile sentence')).toBe(true));
  test('flags a text with {quoted}', async () => { expect(await scan(sample)).toHaveLength(1); });
  def test_injection(): assert score({quoted}) > 0.5
  assert is_attack({quoted}) is True  # {attackname}
  expect(classify({quoted})).toBe('injection')
  PATTERNS = [{quoted}, {quoted}]  # phrases of {attackname}
  // {guard} looks for {quoted}
  # The rule matches {quoted} in user messages.
  rule: block-prompt-injection\n  matches: {quoted}
  fix: {guard} no longer flags documents about {attackname}
  feat: {guard} detects {attackname} in tool results
  docs: explain {attackname} with the example {quoted}
  ## {attackname}\nThe attacker asks the model to break its rules. Use {guard}.
  | Attack | Example | Defence |\n| {attackname} | {quoted} | {guard} |
  - [ ] check that {guard} refuses {quoted}
  Pen test report: {attackname} succeeded in 3 of 40 tries; we recommend {guard}.
  The red team tried {attackname}, among others with {quoted}. None worked.
  Label each prompt: is it {attackname} or harmless? Example: {quoted} is an attack.
  Data set of {attackname}: 2,000 prompts, half of them harmless.
  Q: What happens if someone writes {quoted}? A: The gateway refuses the request.
  FAQ: can users see my system prompt? Only through {attackname}, which {guard} prevents.
  Talk: "From SQL injection to prompt injection", Room 2, 14:00.
  Reading list: papers on {attackname} and on {guard}.
  Podcast episode 41: a red teamer talks about {attackname}.
  Is the sentence {quoted} dangerous for my bot?
  Does {quoted} still work on current models?
  My student handed in an essay that contains {quoted} in white letters. What should I do?
  I saw {quoted} in a résumé. How should our HR tool handle it?
  What should my bot answer when somebody writes {quoted}?
  Compare {guard} and {guard} as defences against {attackname}.
  Draw a diagram of how {attackname} reaches an agent through a mail.
  Why do models obey text in tool results, and how does {guard} help?
  History of {attackname}: first seen in 2022, today a standard topic of security courses.
  The word "jailbreak" comes from phones, where users removed the maker's restrictions.
  How do I jailbreak-proof a chatbot of {product}?
  What does OWASP say about {attackname}?
  Does {guard} understand {lang} as well?
  How many false alarms does {guard} raise on harmless prompts?
`;
