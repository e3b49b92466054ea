import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTabHistory } from "../../components/useTabHistory.ts";
import { useStudio } from "../../StudioContext.tsx";
import { bodyOf, type ConsoleRequest, type SentRequest } from "./consoleRequest.ts";

/** Sends requests of the console and keeps their history in this tab. */
export function useConsole(kind: ConsoleRequest["kind"]) {
  const studio = useStudio();
  const [history, add] = useTabHistory<SentRequest>("console", { maxEntries: 30, maxLength: 20_000 });
  const queryClient = useQueryClient();
  const send = async (request: ConsoleRequest) => {
    const as = request.as === "" ? {} : { as: request.as };
    const response =
      request.kind === "rest"
        ? await studio.post("/console/requests", { ...as, ...restInput(request) })
        : await studio.post("/console/graphql", {
            ...as,
            query: request.query,
            ...optional("variables", bodyOf(request.variables)),
          });
    const { status, ms } = response;
    add({ request, at: new Date().toISOString(), status, ms });
    // Other queries would only see again what a read has not changed.
    if (request.kind === "rest" && request.method !== "GET") void queryClient.invalidateQueries();
    return { request, response };
  };
  const sending = useMutation({ mutationFn: send });
  return { sending, history: history.filter((sent): sent is SentRequest => sent.request.kind === kind) };
}

function restInput({ method, path, body }: Extract<ConsoleRequest, { kind: "rest" }>) {
  return { method, path, ...optional("body", method === "GET" ? undefined : bodyOf(body)) };
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  return value === undefined ? {} : { [name]: value };
}
