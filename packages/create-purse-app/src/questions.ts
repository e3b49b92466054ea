import { cancel, isCancel, select, text } from "@clack/prompts";
import { nameProblem } from "./projectName.ts";
import { STARTERS, type Starter } from "./starters.ts";

/** What the user is asked for. A question rejects with CanceledError if the user cancels it. */
export interface Questions {
  folder(proposal: string): Promise<string>;
  starter(): Promise<Starter>;
}

/** The user has canceled a question. */
export class CanceledError extends Error {}

/** Questions in the terminal. */
export const terminalQuestions: Questions = {
  async folder(proposal) {
    const folder = await text({
      message: "Where?",
      placeholder: proposal,
      defaultValue: proposal,
      validate: (value) => (value ? nameProblem(value) : undefined),
    });
    return isCancel(folder) ? canceled() : folder;
  },
  async starter() {
    const options = STARTERS.map((starter) => ({ value: starter, label: starter.label, hint: starter.hint }));
    const starter = await select({ message: "Which app?", options });
    return isCancel(starter) ? canceled() : starter;
  },
};

function canceled(): never {
  cancel("Nothing was created.");
  throw new CanceledError();
}
