import type { JsonObject } from "@purse/protocol";
import { Field, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog.tsx";
import { stringField } from "../../components/fields.ts";
import { useStudioMutation } from "../../components/queries.ts";
import type { Role } from "../../components/roles.ts";
import { useRoleChanges } from "./roleChanges.ts";

/** As returned by `/chains`. */
export interface Chain {
  chain: number;
  name: string;
}

const STANDARDS = ["ERC20", "ERC721", "ERC1155"] as const;
type Standard = (typeof STANDARDS)[number];

export interface TokenGateFormProps {
  role: Role;
  chains: readonly Chain[];
  onClose: () => void;
}

/** Creates or edits the token gate of a role. */
export function TokenGateForm({ role, chains, onClose }: TokenGateFormProps) {
  const { t } = useTranslation();
  const { gate = {} } = role;
  const [chainId, setChainId] = useState(stringField(gate, "chainId") || String(chains[0]?.chain ?? ""));
  const [standard, setStandard] = useState<Standard>(
    STANDARDS.find((each) => each === gate.standard) ?? "ERC20",
  );
  const [token, setToken] = useState(stringField(gate, "token"));
  const [tokenId, setTokenId] = useState(stringField(gate, "tokenId"));
  const [min, setMin] = useState(stringField(gate, "min") || "1");
  const { setGate } = useRoleChanges();
  const hasId = standard !== "ERC20";
  const next: JsonObject = {
    chainId: Number(chainId),
    token: token.trim(),
    standard,
    min: min.trim(),
    ...(hasId && tokenId.trim() !== "" && { tokenId: tokenId.trim() }),
  };
  const save = useStudioMutation(() => setGate(role.id, next), t("Token gate saved", { role: role.name }));
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(token.trim());
  const isUnsignedInteger = (text: string) => /^\d{1,78}$/.test(text.trim());
  const minProblem =
    isUnsignedInteger(min) && BigInt(min.trim()) >= 1n ? undefined : t("Enter a whole number of 1 or more.");
  const idProblem = !hasId
    ? undefined
    : tokenId.trim() === ""
      ? standard === "ERC1155"
        ? t("ERC1155 requires a token ID.")
        : undefined
      : isUnsignedInteger(tokenId)
        ? undefined
        : t("Enter a whole number.");
  return (
    <FormDialog
      onClose={onClose}
      title={t("Token gate of {role}", { role: role.name })}
      description={t("Users whose linked wallets hold the token are members of this role.")}
      confirmLabel={t("Save")}
      mutation={save}
      disabled={!isAddress || minProblem !== undefined || idProblem !== undefined}
    >
      <Select
        label={t("Chain")}
        value={chainId}
        onChange={setChainId}
        options={chains.map(({ chain, name }) => ({ key: String(chain), label: `${name} (${chain})` }))}
      />
      <Select
        label={t("Standard")}
        value={standard}
        onChange={setStandard}
        options={[
          { key: "ERC20", label: t("ERC20 (fungible token)") },
          { key: "ERC721", label: t("ERC721 (NFT)") },
          { key: "ERC1155", label: t("ERC1155 (multi-token)") },
        ]}
      />
      <Field
        label={t("Token address")}
        value={token}
        onChange={(event) => setToken(event.target.value)}
        problem={
          token !== "" && !isAddress
            ? t("Invalid address: expected 0x followed by 40 hex characters.")
            : undefined
        }
        autoComplete="off"
        spellCheck={false}
      />
      {hasId && (
        <Field
          label={t("Token ID")}
          hint={standard === "ERC721" ? t("Leave empty to accept any token of the collection.") : undefined}
          inputMode="numeric"
          value={tokenId}
          onChange={(event) => setTokenId(event.target.value)}
          problem={idProblem}
          autoComplete="off"
        />
      )}
      <Field
        label={t("Minimum balance")}
        hint={
          standard === "ERC20"
            ? t("In the token's smallest unit. With 18 decimals, 1 token is 1 followed by 18 zeros.")
            : undefined
        }
        inputMode="numeric"
        value={min}
        onChange={(event) => setMin(event.target.value)}
        problem={minProblem}
        autoComplete="off"
      />
    </FormDialog>
  );
}
