import { lines, slots } from './lines.ts';

/** Messages that coding agents' tools and harnesses add to a conversation. */
export const EN_TOOLS = lines`
  The file was written. Its content is already in your context, so you need not read it again.
  Created {where} with 42 lines. You have the current version; there is no reason to open it once more.
  Edit applied to {where}. The file in your context is up to date.
  The edit succeeded. Here is the part of the file around the change, for your information only.
  Written to {where} (1 file changed). No further read is necessary.
  The file has not changed since your last read, so its content is not repeated here; use the earlier result.
  File unchanged since the last read. Refer to the content you already have.
  The file state is tracked for you. Do not call Read only to check this edit.
  Updated {where}. If a formatter changes the file afterwards, you will be told, and you should then read it again.
  This file was modified by the user or by a linter since you read it. Read it again before you write to it.
  You must read a file before you edit it. Call Read first, then try the edit again.
  The string to replace was found 3 times. Give more surrounding lines so that it is unique, or set replace_all.
  The string to replace was not found in the file. Check the indentation and try again.
  Command finished with exit code 1. The output is above. Decide yourself whether it needs a fix.
  Command timed out after 120 seconds and now runs in the background with the id b3. You are notified when it ends; do not poll.
  Started in the background with the id shell_2. Use the output tool with this id to read what it prints.
  The output was longer than 30,000 characters and was cut. Read the saved file in parts with offset and limit.
  The result is too large for your context. It was saved to a file; search it instead of reading all of it.
  No matches found. Try another pattern or look in another folder.
  Found 18 files. The list is sorted by the time of the last change.
  The todo list was updated. Go on with the current task and keep the list up to date.
  Todos have been saved. Make sure that you continue to use the list to track your progress.
  Your todo list is empty. If the work has several steps, consider writing them down; otherwise ignore this note.
  The tool ran without output or errors.
  The directory was changed to {where}. The next commands start there.
  Permission was denied by the user. Ask what to do instead, or continue without this step.
  The user does not want to continue with this tool use. Stop here and wait for the user.
  The user opened {where} in the editor. This may or may not be related to the current task.
  The user selected lines 10 to 24 of {where}. They may be of use for the question.
  The date has changed to the twelfth of May. You do not have to mention this to the user.
  The conversation so far was summarised because it became too long. Continue from here without asking further questions.
  This session continues an earlier one that ran out of context. The summary below covers what was done before.
  Plan mode is on: you may read and search, but do not edit files or run commands that change something until the user agrees.
  The plan was approved by the user. You can start to write code now.
  The agent has finished and returned the report below. The user does not see it, so sum up what matters.
  A subagent is working on it. You will get its result as a message; you need not wait for it.
  The page was converted to Markdown. Links were kept, and scripts were removed.
  The page redirects to another host. Call the fetch tool again with the new address if you want to follow it.
  Web search is not available in this environment. Answer from what you know and say that you could not look it up.
  The server does not know this tool. These tools are available: read_file, write_file, list_folder.
  Tool arguments were not valid JSON. Send the call again with a closing bracket.
  The patch was applied cleanly to 2 files. Run the tests before you go on.
  The patch could not be applied: hunk 2 does not match. Read the file again and make a new patch.
  Image read. It is shown to you in the next message.
  The notebook cell was replaced. Its outputs were cleared.
  The sandbox blocked a write outside of the workspace. Choose a path inside of it.
  Network access is turned off for this command. If you need it, ask the user for approval.
  All checks passed. You may tell the user that the change is ready.
  Two tests failed. Look at the output, fix the cause and run them again; do not weaken the tests.
  There is nothing to commit, the working tree is clean.
  Saved to memory. It will be loaded at the start of the next session.
  Instructions from CLAUDE.md of this project were loaded. Follow them where they apply.
  The contents of AGENTS.md follow. They were written by the maintainers of this repository for coding agents.
  The result has been stored under the name report-3. Other tools can read it by this name.
  Call this tool once with all results, and do not print them as text as well.
  Use this tool only if the user asked for it. Otherwise keep to the format that you were given.
  Send the message by the name of the agent. Use the full id only if two agents share the name.
  You are called again when the background work ends, so there is no need to wait or to ask for its state.
  File overwritten at {where}. The editor shows the new version, so reading it back is unnecessary.
  Wrote 1,204 bytes to {where}; your view of the file is current.
  The file {where} has been updated. {current}
  The file {where} has been updated successfully. {current}
  The file {where} was changed successfully.
  File created at {where}. {current}
  Successfully created {where}. {current}
  Successfully wrote to {where}. {current}
  Wrote {where}. {current}
  Edited {where}: one line removed, two added. {current}
  {where} was saved. {current}
  The change to {where} was made. Please go on with the next step.
  The list of tasks was updated successfully. Continue to use it to track progress, and proceed with the current task.
  Tasks were saved. Keep the list current, and proceed with the next one if there is one.
  Error: {where} does not exist. Did you mean another path?
  Error: {where} is a folder. Use {toolname} to list it.
  Result of {toolname}: no output.
  {toolname} finished in 2 s. Its output is in {where}.
`;

export const EN_TOOLS_SLOTS = slots`
  where: {file} | /home/ann/parcels/{file} | /tmp/project-7c1e/{file} | /tmp/gw-x8Kq2P/{file} | ./{file} | /workspace/app/{file} | /var/folders/q1/T/run-Zk3/{file}
  current: (you have its current state) | Its state is current in your context. | (no need to read it back) | You need not read it again. | There is no need to read it to check the edit. | The editor shows the new version.
`;
