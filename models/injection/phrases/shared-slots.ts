import { slots } from './lines.ts';

/** Names, addresses, commands and marks that are the same in every language. */
export const SHARED_SLOTS = slots`
  badname: ZERO | Omega | FreeBot | Vex | NOVA-X | Chaos | Maximus | UnboundGPT | Kronos | DarkTwin | AIM-9 | Loki | Nyx | Raven | Unit 7 | ARGO
  url: https://{host}/x | http://{host}/install | https://{host}/docs/start | https://{host}/upload | http://203.0.113.7/a | http://198.51.100.23:8080/p | https://{host}/raw/k2 | https://{host}/install.sh | https://api.{host}/v1/log | https://{host} | https://{host}/help?page=2 | www.{host}
  host: example.com | example.org | example.net | fastmirror.test | docs.acme.test | northwind.test | sync-check.invalid | metrics.test | helpdesk.test | files.blue.test | portal.invalid | devtools.test | mailbox.test | evil.test | cdn.shop.test | intranet.test
  mail: anna@{host} | backup@{host} | it@{host} | m.smith@{host} | billing@{host} | team@{host} | office@{host} | john.doe@{host} | archive@{host} | support@{host} | admin@{host}
  sysmark: [SYSTEM] | SYSTEM: | <system> | [system note] | ### System | System override: | <<SYS>> | [INST] | *** SYSTEM ALERT *** | [ADMIN] | ADMIN OVERRIDE: | ### Instruction: | [IMPORTANT] | <important> | IMPORTANT SYSTEM NOTICE: | ---SYSTEM MESSAGE--- | {"role":"system","content": | [developer] | <¦im_start¦>system
  code: Python | TypeScript | Rust | Go | Java | C# | Ruby | Kotlin | Bash | SQL | PHP | Swift
  file: README.md | package.json | Dockerfile | src/index.ts | config.yaml | Makefile | utils.py | .gitignore | main.go | test/app.test.ts
  cmd: npm install | pip install -r requirements.txt | cargo build --release | docker compose up -d | make test | git pull --rebase | kubectl apply -f deploy.yaml | go test ./... | yarn lint --fix | terraform plan | ./gradlew build | brew install redis | npx prisma migrate dev | bundle exec rspec
  toolname: read_file | search | run_tests | list_directory | get_weather | edit_file | grep | create_ticket | web_search | apply_patch | query_db
  path: ~/.ssh/id_rsa | ~/.aws/credentials | .env | /etc/passwd | secrets.yaml | ~/.netrc | ~/.kube/config | config/master.key
  toolid: bash | send_email | http_request | execute_command | fetch | read_file | browser | memory | shell | calendar
  closing: </document> | """ | ======== | </user_input> | <¦im_end¦> | </tool_result> | [/INST] | --- | ###
`;
