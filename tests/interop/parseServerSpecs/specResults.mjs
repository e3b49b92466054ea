// Part of the process that runs the specs: writes their results to the file SPECS_RESULTS, as jasmine tells them.
import { writeFileSync } from "node:fs";

const PLACE = /(?:spec|test)\/[A-Za-z.]+(?:\.spec|Test)\.js:\d+/;

/**
 * Records results from now on. Specs that are defined later are judged by their text.
 * @param options.internalReason Returns why a spec reaches into the server's process, given its title, its text, whether
 *   it failed, and the messages; undefined if it does not.
 * @param options.isSkipped Whether a spec must not run, given its title and its text.
 */
export function recordResults({ internalReason = () => undefined, isSkipped = () => false } = {}) {
  const texts = new Map();
  const defineSpec = globalThis.it;
  globalThis.it = (title, run, timeout) => {
    const text = String(run);
    const spec = defineSpec(title, run && isSkipped(title, text) ? () => undefined : run, timeout);
    if (run) texts.set(spec.id, text);
    return spec;
  };

  const results = [];
  jasmine.getEnv().addReporter({
    specDone({ id, fullName, status, failedExpectations }) {
      const isRun = status === "passed" || status === "failed";
      const messages = failedExpectations.map(
        ({ message, stack = "" }) => `${message.slice(0, 400)} (${PLACE.exec(stack)?.[0] ?? ""})`,
      );
      const text = texts.get(id) ?? "";
      results.push({
        title: fullName,
        status: isRun ? status : "pending",
        internal: isRun ? internalReason(fullName, text, status === "failed", messages) : undefined,
        messages,
      });
      writeFileSync(process.env.SPECS_RESULTS, JSON.stringify(results, null, 1));
    },
  });
}
