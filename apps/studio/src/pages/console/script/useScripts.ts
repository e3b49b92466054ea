import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { useStudio } from "../../../StudioContext.tsx";
import type { Identity } from "../consoleRequest.ts";
import type { ScriptOutput, ScriptRequest } from "./messages.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

/** Older output is dropped. */
const MAX_OUTPUT = 500;

export interface OutputEntry extends ScriptOutput {
  id: number;
}

/**
 * Runs scripts one at a time in a sandbox, whose SDK sends its requests as `as`; none without an identity. Variables are
 * kept from script to script until one is stopped or the identity changes; so is what a script has not waited for, such
 * as timers.
 */
export function useScripts(as: Identity | undefined) {
  const studio = useStudio();
  const queryClient = useQueryClient();
  const [output, setOutput] = useState<readonly OutputEntry[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [ms, setMs] = useState<number>();
  const [error, setError] = useState<unknown>();
  const container = useRef<HTMLDivElement>(null);
  const sandbox = useRef<Promise<Sandbox>>(undefined);
  const controller = useRef<AbortController>(undefined);
  const lastId = useRef(0);

  const close = useCallback(() => {
    controller.current?.abort();
    void sandbox.current?.then((open) => open.close()).catch(ignore);
    sandbox.current = undefined;
    setOpen(false);
    setRunning(false);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a sandbox belongs to one identity.
  useEffect(() => close, [as, close]);

  async function send(sender: Identity, { method, path, body }: ScriptRequest) {
    const { status, body: text } = await studio.post("/console/requests", {
      method,
      path,
      ...(body && { body }),
      ...(sender !== "" && { as: sender }),
    });
    if (method !== "GET") void queryClient.invalidateQueries();
    return { status, body: text };
  }

  async function run(code: string): Promise<void> {
    if (!container.current || as === undefined) return;
    setOpen(true);
    setRunning(true);
    setMs(undefined);
    setError(undefined);
    try {
      controller.current ??= new AbortController();
      if (controller.current.signal.aborted) controller.current = new AbortController();
      const { signal } = controller.current;
      const options = {
        send: (request: ScriptRequest) => send(as, request),
        onOutput: (entry: ScriptOutput) => {
          lastId.current += 1;
          const id = lastId.current;
          setOutput((before) => [...before.slice(1 - MAX_OUTPUT), { ...entry, id }]);
        },
        onDone: (duration: number) => {
          setRunning(false);
          setMs(duration);
        },
      };
      sandbox.current ??= openSandbox(container.current, options, signal);
      (await sandbox.current).run(code);
    } catch (problem) {
      close();
      if (!(problem instanceof DOMException && problem.name === "AbortError")) setError(problem);
    }
  }

  const clear = () => setOutput([]);
  return { container, output, clear, isOpen, isRunning, ms, error, run, stop: close };
}

function ignore(): void {
  // The sandbox was closed before it was open.
}
