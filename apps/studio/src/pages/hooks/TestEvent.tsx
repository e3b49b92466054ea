import type { StudioHook } from "@purse/server/studio-api";
import { Button, Code, Dialog, ErrorState, useTranslation } from "@purse/ui";
import { prettyJsonText } from "../../components/fields.ts";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { CallFacts } from "./CallFacts.tsx";
import { SigningFacts } from "./SigningFacts.tsx";

export interface TestEventProps {
  /** What is sent to; undefined while the form that declares it is incomplete. */
  hook: StudioHook | undefined;
}

/** Sends an example to a hook and shows its response. */
export function TestEvent({ hook }: TestEventProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const test = useStudioMutation((studio, to: StudioHook) => studio.post("/hooks/test", to));
  const { data: call } = test;
  return (
    <section className="stack tight" aria-label={t("Test event")}>
      <div className="row spread">
        <p className="soft small grow">
          {t("The example has {context}. The response has no effect.", { context: "context.isTest" })}
        </p>
        <Button
          small
          disabled={!canEdit || hook === undefined}
          busy={test.isPending}
          onClick={() => hook && test.mutate(hook)}
        >
          {t("Send test event")}
        </Button>
      </div>
      {test.error && <ErrorState error={test.error} />}
      {call && (
        <div className="stack tight" role="status">
          <CallFacts call={call} />
          {call.answer !== undefined && (
            <Code label={t("Response")} text={prettyJsonText(call.answer)} wrap />
          )}
        </div>
      )}
    </section>
  );
}

export interface TestEventDialogProps {
  hook: StudioHook;
  /** The name of the hook. */
  name: string;
  onClose: () => void;
}

/** How requests to a hook are signed, and a test of it. */
export function TestEventDialog({ hook, name, onClose }: TestEventDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog open side onClose={onClose} title={t("Test {name}", { name })} description={hook.url}>
      <div className="stack">
        <TestEvent hook={hook} />
        <SigningFacts />
      </div>
    </Dialog>
  );
}
