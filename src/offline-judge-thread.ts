/** Thread entry point: judges part of a trace's sessions. A failure ends the thread, which the parent notices. */
import { parentPort, workerData } from 'node:worker_threads';
import { createOfflineJudge } from './offline-judge.ts';
import { loadPolicies } from './policy/load-policies.ts';
import type { JudgeReply, JudgeRequest, JudgeThreadData } from './verify/judge.ts';

const { config, files } = workerData as JudgeThreadData;
const judge = await createOfflineJudge({ config, set: files && (await loadPolicies(files)).set });
parentPort?.on('message', (request: JudgeRequest) => void judgeRequest(request));

async function judgeRequest(request: JudgeRequest): Promise<void> {
  postReply(
    request === 'end' ? await judge.end() : await Promise.all(request.map((queued) => judge.step(queued))),
  );
}

function postReply(reply: JudgeReply): void {
  parentPort?.postMessage(reply);
}
