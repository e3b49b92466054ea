import type { JsonObject } from "@purse/protocol";
import { Address, Button, ErrorState, QueryState, useTranslation } from "@purse/ui";
import { useState } from "react";
import { chainLabel } from "../../components/chainLabel.ts";
import { stringField } from "../../components/fields.ts";
import { Section } from "../../components/Page.tsx";
import type { Role } from "../../components/useRoles.ts";
import { useStudioQuery, useUndoableMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { useRoleChanges } from "./roleChanges.ts";
import { TokenGateForm } from "./TokenGateForm.tsx";

/** The token gate of a role, evaluated on requests and when token balances change. */
export function TokenGate({ role }: { role: Role }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [isEditing, setEditing] = useState(false);
  const chainsQuery = useStudioQuery("/chains", {});
  const chains = chainsQuery.data?.results ?? [];
  const { setGate } = useRoleChanges();
  const { gate } = role;
  const remove = useUndoableMutation(
    (_removed: JsonObject) => setGate(role.id, undefined),
    (removed) => setGate(role.id, removed),
    () => t("Token gate of {role} removed", { role: role.name }),
  );
  const chainId = gate ? stringField(gate, "chainId") : "";
  const chain = chains.find((each) => String(each.chain) === chainId);
  return (
    <Section
      title={t("Token gate")}
      actions={
        <span className="actions">
          <Button small disabled={!canEdit || chains.length === 0} onClick={() => setEditing(true)}>
            {gate ? t("Edit token gate") : t("Add token gate")}
          </Button>
          {gate && (
            <Button
              small
              variant="danger"
              disabled={!canEdit || remove.isPending}
              onClick={() => remove.mutate(gate)}
            >
              {t("Remove token gate")}
            </Button>
          )}
        </span>
      }
    >
      {gate ? (
        <>
          <p>
            {t(
              "Users who hold at least {min} of this token across all linked wallets are members of {role}.",
              {
                min: stringField(gate, "min") || "1",
                role: role.name,
              },
            )}
          </p>
          <dl className="facts">
            <dt>{t("Token")}</dt>
            <dd>
              <Address address={stringField(gate, "token")} short copy />
            </dd>
            <dt>{t("Standard")}</dt>
            <dd>{stringField(gate, "standard")}</dd>
            {gate.tokenId !== undefined && (
              <>
                <dt>{t("Token ID")}</dt>
                <dd className="mono">{stringField(gate, "tokenId")}</dd>
              </>
            )}
            <dt>{t("Minimum balance")}</dt>
            <dd>
              <span className="mono">{stringField(gate, "min") || "1"}</span>{" "}
              <span className="soft small">{t("in the smallest unit")}</span>
            </dd>
            <dt>{t("Chain")}</dt>
            <dd>{chain ? `${chainLabel(chain, t)} (${chain.chain})` : chainId}</dd>
          </dl>
        </>
      ) : (
        <QueryState query={chainsQuery} label={t("Loading chains…")}>
          {({ results }) => (
            <p className="soft">
              {results.length === 0
                ? t("No token gate. Token gates require a configured chain.")
                : t("No token gate. With a token gate, users are members for as long as they hold a token.")}
            </p>
          )}
        </QueryState>
      )}
      {remove.error && <ErrorState error={remove.error} />}
      {isEditing && <TokenGateForm role={role} chains={chains} onClose={() => setEditing(false)} />}
    </Section>
  );
}
