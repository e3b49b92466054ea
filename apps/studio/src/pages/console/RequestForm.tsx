import { Button, ErrorState, useTranslation } from "@purse/ui";
import { Send } from "lucide-react";
import type { ReactNode } from "react";
import { ConsoleHistory } from "./ConsoleHistory.tsx";
import { ConsoleResult } from "./ConsoleResult.tsx";
import { CopyRequest } from "./CopyRequest.tsx";
import type { ConsoleRequest } from "./consoleRequest.ts";
import { useConsole } from "./useConsole.ts";

export interface RequestFormProps {
  kind: ConsoleRequest["kind"];
  /** What is sent; undefined while it is not known in whose name. */
  request: ConsoleRequest | undefined;
  canSend: boolean;
  sendLabel: string;
  /** Called with an earlier request to edit and send again. */
  onReuse: (request: ConsoleRequest) => void;
  /** The fields of the request. */
  children: ReactNode;
}

/** Sends requests; shows the response and the earlier requests. */
export function RequestForm({ kind, request, canSend, sendLabel, onReuse, children }: RequestFormProps) {
  const { t } = useTranslation();
  const { sending, history } = useConsole(kind);
  return (
    <div className="stack">
      <form
        className="card stack"
        aria-label={t("Request")}
        onSubmit={(event) => {
          event.preventDefault();
          if (request) sending.mutate(request);
        }}
      >
        {children}
        {sending.error && <ErrorState error={sending.error} />}
        <div className="row">
          <Button
            icon={Send}
            type="submit"
            variant="primary"
            busy={sending.isPending}
            disabled={!request || !canSend}
          >
            {sendLabel}
          </Button>
        </div>
        {request && <CopyRequest request={request} />}
      </form>
      <div aria-live="polite">{sending.data && <ConsoleResult response={sending.data.response} />}</div>
      <ConsoleHistory history={history} onReuse={onReuse} />
    </div>
  );
}
