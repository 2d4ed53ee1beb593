/**
 * Words of orders to a model in other languages, without accents: German, French, Spanish, Italian, Portuguese, Dutch.
 */
const listed = `
alle alles anordnungen antworte anweisung anweisungen befehle bisherigen dein deine deinen einschrankungen entwicklermodus filtern gehorche grenzen
ignoriere ignorieren missachte nenne obigen ohne regeln richtlinien systemprompt umgehe vergiss verrate vorgaben vorherigen wiederhole zeige
affiche consignes contourne donne ignorez limites montre oublie oubliez precedentes precedents regles repete revele systeme tes toutes tous
anteriores directrices dime ignora indicaciones instrucciones limitaciones muestra muestrame normas olvida previas reglas repite restricciones
revela sistema sus todas todos tus
dimentica dimmi direttive indicazioni istruzioni limitazioni mostra mostrami precedenti regole restrizioni ripeti rivela sopra tue tuoi tutte tutti
desconsidere diretrizes esqueca instrucoes mostre regras repita restricoes revele seus suas
beperkingen eerdere geef herhaal instructies jouw negeer regels richtlijnen systeemprompt toon vergeet voorgaande vorige zonder
`;

export const ORDER_WORDS: readonly string[] = listed.trim().split(/\s+/);
