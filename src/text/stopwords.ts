/** Function words, which carry no topic. */
const FUNCTION_WORDS = `
  able about above actually after again against all already alright also although always am among an and any
  anybody anyone anything are aren around as at away back bad be became because become becomes been before
  being below beside besides best better between beyond big bit both but by came can cannot certain
  certainly come could couldn course did didn difference different do does doesn doing don done down during
  each either else enough especially etc even ever every everybody everyone everything exactly few first for
  from further gave general get gets getting give given gives go goes going gone gonna good got great had
  hadn happen happened happens has hasn have haven having he hello help hence her here hers herself hey hi
  him himself his hmm how however if im important in indeed instead into is isn it its itself just keep kept
  kind know known last least less let lets like likely little ll long look looking lot lots made main make
  makes making many may maybe me mean means might mine more moreover most mostly much must my myself near
  need needs neither never nevertheless new next nice no nobody none nor not nothing now of off often oh ok
  okay on once one ones only onto or other others otherwise ought our ours ourselves out over own part
  people perhaps please possible possibly probably put quickly quite rather re really said same saw say says
  second see seem seems seen several shall she should shouldn since so some somebody someone something
  sometimes somewhat soon sort sound sounds start still such suppose sure take takes than thank thanks that
  the their theirs them themselves then there therefore these they thing things think third this those
  though three through thus till time to together too took toward towards tried try trying two type types
  under unless until up upon us use used uses using usually various ve very via want wants was wasn way ways
  we well went were weren what whatever whats when whenever where whether which while who whoever whole whom
  whose why will with within without won work works would wouldn yes yet you your yours yourself yourselves
`;

/** Words about the conversation and the form of an answer: "shorten your previous answer". */
const TALK_WORDS = `
  abstract academic accessible acronym add addressed adjust adult adults advertisement advice advise
  aforementioned analogy analyse analyses analysis analyze anecdote announcement answer answered answering
  answers article artistic artistically ask asked asking aspect aspects assignment assumption audience
  audiences author ballad based beginner beginners blog bold book brevity brief briefly broadcast brochure
  bullet bullets caption capture captured captures casual catchy change changed chapter chart cheerful
  clarification clarified clarify clarity clearer column comment commentary compare comparing comparison
  compelling compose compress concise concisely conclude conclusion conclusions concrete condense condensed
  condensing consider considering content context conversation conversational convert converted convey
  conveyed conveying correct craft create creative creatively creativity critique current debate depict
  depicting depiction describe described describes description descriptive detail detailed details diagram
  dialogue diary discuss discussed discussion distill draft dramatic earlier edit elaborate elevator
  eloquent email emphasis emphasise emphasize emphasizes encapsulate encapsulates engaging enthusiastic
  entry essay essence evocative example examples excerpt expand expert experts explain explained explaining
  explanation explanatory explicit express expression extended extract fable fact facts factual fairy
  feedback fewer fictional figure final finally find flowchart flowery focus following form formal format
  formatted former friendly funny generate glossary grammar grammatical greeting guess guide guideline
  guidelines haiku headline headlines highlight highlighted highlighting highlights humor humorous humour
  idea ideas illustrate illustrated illustrating illustration imagery imaginary imagination imaginative
  imagine imagined imagining improve include included includes including incorporate info infographic
  infographics inform informal information inspirational inspiring interested
  introduction introductory issue item items jargon joke journalist key keyword kid kids language latter
  layman layperson lengthen lesson letter letters limerick line lines linguistic list listed lists literary
  logical longer lyrics matter meaning memo mention mentioned message metaphor metaphorical metaphorically
  metaphors mnemonic modified modify monologue motto myth name named narration narrative narrator note notes
  numbered opinion option options organised organized outline outlined outlines output overview pamphlet
  paragraph paragraphs paraphrase paraphrased paraphrasing parody passage persona perspective persuade
  persuasive phrase phrased phrases phrasing piece pitch plain plan playful podcast poem poems poet poetic
  poetry point points polish polite post poster predict presentation presented presenting previous
  previously prior pro proofread prose proverb provide provided pun question questions quote rap readable
  reader readers reading recap recast recommend recommendation recommendations recommended recommending
  reduce refer reference referring reflect reflection reformat reformulate regarding reorganize rephrase
  rephrased rephrasing replace reply report represented request reshape respect respond response responses
  restate restructure restructured result results revise reword rewording rewrite rewriting rewritten
  rhetorical rhyme rhyming riddle role saga sarcastic scenario scenarios scholarly screenplay script
  scripted section segment segments selected sentence sentences sequel sequences share short shorten
  shortened shortening shorter show simile simple simpler simplified simplify sketch slide slides slogan
  slogans snippet soliloquy sonnet specific specifically speech spoken stanza stanzas statement step steps
  story storyteller storytelling structure style styles stylistic subtitle succinct succinctly suggest
  suggested suggestion suggestions suitable summaries summarise summarization summarize summarized
  summarizing summary symbol symbolic symbolism synonym synopsis syntax table tagline tale talk teenager
  teenagers tell telling template term terms text textbook theme themed themes thesis thorough timeline tip
  tips title tone toned topic topics transcript transform transformed transition translate translated
  translating translation turn tweet tweets typed understand update vague verb verbal verse verses version
  view viewer viewers visual visualize vivid vividly vocabulary voice voiceover whimsical wit witty word
  worded wording words write writing written
`;

/** Words that fit any topic, and occur in unrelated texts. */
const GENERAL_WORDS = `
  ability accept access accord account achieve act action active activity actual addition address affect
  afford ago agree aim allow alone alternative amount annual appear apply approach appropriate approximate
  area arrange arrive assist assume attempt attention available average avoid aware basic basically basis
  bear begin beginning belief believe belong benefit bigger biggest break bring broad build buy call capable
  care careful carry case cause center central century chance characteristic check choice choose clear
  clearly close closely closer closest combine comfortable common commonly compared complete completely
  complex concept concern condition confirm connect consequence considerable consist constant contain
  continue contribute control correctly cost count country couple cover currently cut daily date day deal
  decade decide decision deep define definition degree demand depend design desire determine develop
  development deviate differ difficult direct direction directly discover distinct drive due ease easier
  easiest easily easy effect effective effectively effort element eliminate emerge encounter end ensure
  enter entire environment equal essential essentially establish eventually everyday evidence evolve
  excellent except exist existing expect expensive experience extra extremely face factor fail fair fairly
  fall famous far fast favorite feature feel felt fine fit fix flow forget free frequent frequently friend
  full fully fun function future gain generally giant giving global goal group grow growth half hand handle
  happy hard harder hardly head hear heard held hide high higher highest highly history hit hold home hope
  hot hour hours huge human hundred ideal identify impact imply importance impossible improvement increase
  increasingly individual influence initial inside intend interest interesting involve involved involving
  job join kill large larger largest late later latest lead leading learn leave led left level life light
  likewise limit limited live living local locate location lose lost love low lower major majority man
  manage manner mark mass material maximum measure meet member men method middle mind minimum minor minute
  mistake modern moment month move moving natural nature necessarily necessary negative normal normally
  number numerous object obtain obvious occur offer old older oldest open operate opportunity oppose
  opposite order organize origin original originally outside overall partially participate particular
  particularly pass past pay perfect perform period permit person personal physical pick picture place play
  popular popularity position positive power practical practice prefer prepare present prevent primary
  principle priority private process produce product professional progress proper properly property
  proportion protect prove public purchase purpose push quality quantity quick raise random range rank rapid
  rare rarely rate reach react ready real reality realize reason receive recent recently recognize record
  region regular regularly relate related relation relationship relatively relevant reliable remain remember
  remove repeat represent require requirement respective responsible rest restrict restriction return reveal
  right rise risk room rule run running safe satisfy save scale score search season seek select sell send
  separate sequence series serious serve service set setting settle shape shift shop side sign significance
  significant similar similarity similarly single sit site situation size skill slow slowly small smaller
  society solution solve source space speak special spend split spread stage stand standard starting state
  stay steady stick stop store straight strategy strength strong struggle study stuff subject success
  successful sudden suddenly sufficient suit support surely surprise survive system tail target task team
  technique tend theory throughout tool top total track trade tradition traditional trend trouble true truth
  typical typically ultimate unable understanding unique unit unlike unusual upper usage useful usual value
  variety vary vast visit wait walk watch weak week weekend whereas wide widely win wish woman women wonder
  wonderful world worry worse worst worth wrong year years young younger youngest
`;

/** English words in lower case, as written (not stemmed). */
export const STOPWORDS: ReadonlySet<string> = new Set(
  [FUNCTION_WORDS, TALK_WORDS, GENERAL_WORDS].flatMap((list) => list.trim().split(/\s+/)),
);
