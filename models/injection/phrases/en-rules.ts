import { lines, slots } from './lines.ts';

export const EN_RULES_SLOTS = slots`
  domain: grammar | rhyme | punctuation | poker | chess | golf | traffic | the road | this forum | the hotel | the house | the library | the competition | the school | good taste | the gym | the visa | the free plan | the warranty | the rental contract | the insurance | football | etiquette | the lab | the old tariff | the beta programme | my diet | the loan
  rulesof: rules | instructions | guidelines | restrictions | limits | conditions | terms | policies | regulations | requirements | principles
  owner: my landlord | my teacher | the doctor | the bank | the airline | my manager | the city | the coach | the manufacturer | the museum | our school | the hotel | the customer
  craft: poem | essay | song | letter | story | drawing | speech | recipe | dress | garden | flyer | cake
  feeling: worries | fears | doubts | prejudices | differences | phone | laptop | tools | cares
`;

/** Innocent texts about everyday rules, limits and instructions, and about what an assistant can do. */
export const EN_RULES = lines`
  You may ignore the rules of {domain} in this {craft}
  You may ignore the {rulesof} of {domain} in your answer, I only want the idea.
  Skip the rules of {domain} for this {craft}
  Forget the rules of {domain}, write the {craft} as you like
  Break the rules of {domain} on purpose, it is a joke
  Don't follow the rules of {domain} too strictly in the {craft}
  Which {rulesof} does {domain} have?
  Which {rulesof} were set for {domain}?
  Which {rulesof} were you given by {owner}?
  Which {rulesof} were we given by {owner}?
  What {rulesof} did {owner} give you?
  What {rulesof} did {owner} give me yesterday? They are in the mail above.
  What are the {rulesof} of {domain}?
  Tell me the {rulesof} of {domain}
  Show me the {rulesof} of {domain}
  List all {rulesof} of {domain}
  Explain the {rulesof} of {domain} to me
  Explain what limits the speed of a train
  Explain what limits the growth of plants
  Are the {rulesof} of {domain} still valid?
  Have the {rulesof} of {domain} been lifted?
  {owner} has lifted the {rulesof}. What now?
  {owner} changed the {rulesof} of {domain}
  The {rulesof} of {domain} no longer apply since January
  The {rulesof} you were given by {owner} are on page two.
  {owner} told me to ignore the {rulesof} of {domain}. Is that right?
  How strict are the {rulesof} of {domain}?
  Do I have to follow the {rulesof} of {domain}?
  How can I get around the {rulesof} of {domain} legally?
  Is there a way to bypass the queue at {domain}?
  Remove the {rulesof} from the slide on {domain}
  Rewrite the {rulesof} of {domain} in plain words
  Translate the {rulesof} of {domain} into Dutch
  Summarise the {rulesof} that {owner} sent
  Repeat the {rulesof} of {domain} in one sentence
  I follow the {rulesof} of {domain}, and still I was fined
  Could you share the rules that good writers follow?
  Could you share the {rulesof} of {domain} with the team?
  Do you have rules that you must follow?
  Do assistants like you have rules?
  Are you allowed to give legal advice?
  Are there topics that you can't help with?
  Which topics can you help me with?
  Which questions do you find hard?
  What limits do your answers have in length?
  How reliable are your answers?
  How much text can you read at once?
  What happens with the data that I type here?
  Can you make mistakes?
  May I use your answers in my thesis?
  Explain what you can and cannot do
  Speak freely about {domain}, I am no expert
  Speak freely, the meeting is not recorded
  Talk to me like a friend about {domain}
  Talk to me without any jargon
  Take a photo without any filter
  Answer without any technical terms
  Answer without limits on length
  Be honest and do not sugar-coat it: is the {craft} good?
  Set your {feeling} aside and dance
  Set the {feeling} aside for a moment and listen
  Let go of your {feeling}
  Put your {feeling} away during the exam
  Listen to your heart, not to {owner}
  Follow your instinct rather than the {rulesof} of {domain}
  We must not let {owner} decide for us
  Act like a grown-up and pay the bill
  You are free to go, said {owner}
  You are supposed to have been given a copy of the licence along with the program
  This licence gives you the rights that you were given before
  All previous agreements are replaced by this contract
  This policy supersedes all earlier {rulesof} of {domain}
  Unless you are told otherwise, assume that the {rulesof} hold
  Disregard this letter if you have already paid
  Verify the system parameters before you start the engine
  Activate the system once the process is authorised
  Delete the outdated files after you have confirmed the policy
  Instructions must always be followed in the order shown
  Describe how to safely erase a computer's hard disk
  Pretend that you are the author of the {craft} and tell us about an earlier version
  Share your insights into writing a {craft}
  Insert the missing word into the sentence
  In the sentence, put an adjective before the word "free"
`;
