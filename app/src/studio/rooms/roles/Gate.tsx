import { useState } from "react";
import { Address } from "../../../design/Address.tsx";
import { Button } from "../../../design/Button.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { textOf } from "../parts/fields.ts";
import { Answered, Section } from "../parts/Room.tsx";
import type { Role } from "../parts/roles.ts";
import { useRoleChanges } from "./changes.ts";
import { type Chain, GateForm } from "./GateForm.tsx";

/** What one has to hold to be in a role: judged when somebody asks, and again when the token moves. */
export function Gate({ role }: { role: Role }) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const toast = useToast();
  const [isEditing, setEditing] = useState(false);
  const answer = useAnswer<{ results: Chain[] }>("/chains");
  const chains = answer.data?.results ?? [];
  const { setGate } = useRoleChanges();
  const { gate } = role;
  const back = useChange(() => setGate(role.id, gate));
  const remove = useChange(() => setGate(role.id, undefined));
  const chainId = gate ? textOf(gate, "chainId") : "";
  const chain = chains.find((each) => String(each.chain) === chainId);
  return (
    <Section
      title={t("Token gate")}
      actions={
        <span className="actions">
          <Button small disabled={!may || chains.length === 0} onClick={() => setEditing(true)}>
            {gate ? t("Change the gate") : t("Set a gate")}
          </Button>
          {gate && (
            <Button
              small
              variant="danger"
              disabled={!may || remove.isPending}
              onClick={() =>
                remove.mutate(undefined, {
                  onSuccess: () =>
                    toast(t("{role} has no gate any more.", { role: role.name }), {
                      label: t("Undo"),
                      run: () => back.mutate(),
                    }),
                })
              }
            >
              {t("Remove the gate")}
            </Button>
          )}
        </span>
      }
    >
      {gate ? (
        <>
          <p>
            {t("Whoever holds at least {min} of this token is in {role}, with all addresses together.", {
              min: textOf(gate, "min") || "1",
              role: role.name,
            })}
          </p>
          <dl className="facts">
            <dt>{t("Token")}</dt>
            <dd>
              <Address address={textOf(gate, "token")} short copy />
            </dd>
            <dt>{t("Standard")}</dt>
            <dd>{textOf(gate, "standard")}</dd>
            {gate.tokenId !== undefined && (
              <>
                <dt>{t("Token id")}</dt>
                <dd className="mono">{textOf(gate, "tokenId")}</dd>
              </>
            )}
            <dt>{t("At least")}</dt>
            <dd>
              <span className="mono">{textOf(gate, "min") || "1"}</span>{" "}
              <span className="soft small">{t("in the smallest unit")}</span>
            </dd>
            <dt>{t("Chain")}</dt>
            <dd>{chain ? `${chain.name} (${chain.chain})` : chainId}</dd>
          </dl>
        </>
      ) : (
        <Answered answer={answer} label={t("Loading the chains")}>
          {({ results }) => (
            <p className="soft">
              {results.length === 0
                ? t("None. Gates ask a chain, and this server follows none.")
                : t("None. With a gate, who holds a token is in the role for as long as they hold it.")}
            </p>
          )}
        </Answered>
      )}
      {(remove.error ?? back.error) && <ErrorState error={remove.error ?? back.error} />}
      {isEditing && <GateForm role={role} chains={chains} onClose={() => setEditing(false)} />}
    </Section>
  );
}
