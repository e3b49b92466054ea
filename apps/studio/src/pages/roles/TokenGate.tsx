import type { JsonObject } from "@purse/protocol";
import { Address, Button, Detail, DetailList, ErrorState, QueryState, useTranslation } from "@purse/ui";
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
              { min: stringField(gate, "min") || "1", role: role.name },
            )}
          </p>
          <DetailList>
            <Detail label={t("Token")}>
              <Address address={stringField(gate, "token")} short copy />
            </Detail>
            <Detail label={t("Standard")}>{stringField(gate, "standard")}</Detail>
            {gate.tokenId !== undefined && (
              <Detail label={t("Token ID")} className="mono">
                {stringField(gate, "tokenId")}
              </Detail>
            )}
            <Detail label={t("Minimum balance")}>
              <span className="mono">{stringField(gate, "min") || "1"}</span>{" "}
              <span className="soft small">{t("in the smallest unit")}</span>
            </Detail>
            <Detail label={t("Chain")}>{chain ? `${chainLabel(chain, t)} (${chain.chain})` : chainId}</Detail>
          </DetailList>
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
