import { Button, Code, ErrorState, Notice, QueryState, useTranslation } from "@purse/ui";
import { useState } from "react";
import { useStudioMutation, useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";

/** How requests to hooks are signed, with the key for owners. */
export function SigningFacts() {
  const { t } = useTranslation();
  const settings = useStudioQuery("/hooks/settings", {});
  return (
    <section className="stack tight" aria-label={t("Signature")}>
      <h3>{t("Signature")}</h3>
      <QueryState query={settings} label={t("Loading settings…")}>
        {({ isSigned }) =>
          isSigned ? (
            <>
              <p className="soft small">
                {t(
                  "Each request has the signing key in {keyHeader}, and {signatureHeader} with the HMAC-SHA-256 of time and body.",
                  { keyHeader: "X-Parse-Webhook-Key", signatureHeader: "X-Purse-Signature" },
                )}
              </p>
              <SigningKey />
            </>
          ) : (
            <Notice kind="warning" title={t("Requests are not signed")}>
              {t("Set {variable}, so that your server can tell requests of this server from others.", {
                variable: "PURSE_WEBHOOK_KEY",
              })}
            </Notice>
          )
        }
      </QueryState>
    </section>
  );
}

/** The key, which only owners see, and only if they ask for it. */
function SigningKey() {
  const { t } = useTranslation();
  const isOwner = useHasRole("owner");
  const [key, setKey] = useState<string | undefined>(undefined);
  const reveal = useStudioMutation(async (studio) => {
    const { webhookKey } = await studio.post("/hooks/key", {});
    setKey(webhookKey);
  });
  if (key !== undefined) return <Code label={t("Signing key")} text={key} />;
  return (
    <>
      <div className="row">
        <Button small disabled={!isOwner} busy={reveal.isPending} onClick={() => reveal.mutate()}>
          {t("Show signing key")}
        </Button>
        {!isOwner && <span className="soft small">{t("Only owners can see it.")}</span>}
      </div>
      {reveal.error && <ErrorState error={reveal.error} />}
    </>
  );
}
