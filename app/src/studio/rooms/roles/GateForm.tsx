import type { JsonObject } from "@purse/protocol";
import { useState } from "react";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { textOf } from "../parts/fields.ts";
import type { Role } from "../parts/roles.ts";
import { useRoleChanges } from "./changes.ts";

/** As `/chains` tells it. */
export interface Chain {
  chain: number;
  name: string;
}

const STANDARDS = ["ERC20", "ERC721", "ERC1155"] as const;
type Standard = (typeof STANDARDS)[number];

export interface GateFormProps {
  role: Role;
  chains: readonly Chain[];
  onClose: () => void;
}

/** A new gate of a role, or a changed one. */
export function GateForm({ role, chains, onClose }: GateFormProps) {
  const { t } = useTranslation();
  const { gate = {} } = role;
  const [chainId, setChainId] = useState(textOf(gate, "chainId") || String(chains[0]?.chain ?? ""));
  const [standard, setStandard] = useState<Standard>(
    STANDARDS.find((each) => each === gate.standard) ?? "ERC20",
  );
  const [token, setToken] = useState(textOf(gate, "token"));
  const [tokenId, setTokenId] = useState(textOf(gate, "tokenId"));
  const [min, setMin] = useState(textOf(gate, "min") || "1");
  const { setGate } = useRoleChanges();
  const hasId = standard !== "ERC20";
  const next: JsonObject = {
    chainId: Number(chainId),
    token: token.trim(),
    standard,
    min: min.trim(),
    ...(hasId && tokenId.trim() !== "" && { tokenId: tokenId.trim() }),
  };
  const save = useChange(() => setGate(role.id, next), t("The gate of {role} is set.", { role: role.name }));
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(token.trim());
  const isWhole = (text: string) => /^\d{1,78}$/.test(text.trim());
  const minProblem = isWhole(min) && BigInt(min.trim()) >= 1n ? undefined : t("A whole number, 1 or more.");
  const idProblem = !hasId
    ? undefined
    : tokenId.trim() === ""
      ? standard === "ERC1155"
        ? t("ERC1155 needs the id of the token.")
        : undefined
      : isWhole(tokenId)
        ? undefined
        : t("A whole number.");
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Token gate of {role}", { role: role.name })}
      about={t(
        "Who holds the token with their linked wallets is in the role, and out of it once they do not.",
      )}
      verb={t("Save")}
      busy={save.isPending}
      error={save.error}
      disabled={!isAddress || minProblem !== undefined || idProblem !== undefined}
      onDo={() => save.mutate(undefined, { onSuccess: onClose })}
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
          { key: "ERC20", label: t("ERC20: an amount of a token") },
          { key: "ERC721", label: t("ERC721: a piece of a collection") },
          { key: "ERC1155", label: t("ERC1155: items of an id") },
        ]}
      />
      <Field
        label={t("Address of the token")}
        value={token}
        onChange={(event) => setToken(event.target.value)}
        problem={
          token !== "" && !isAddress
            ? t("An address has 0x and 40 digits and letters from a to f.")
            : undefined
        }
        autoComplete="off"
        spellCheck={false}
      />
      {hasId && (
        <Field
          label={t("Token id")}
          hint={standard === "ERC721" ? t("Empty: any piece of the collection.") : undefined}
          inputMode="numeric"
          value={tokenId}
          onChange={(event) => setTokenId(event.target.value)}
          problem={idProblem}
          autoComplete="off"
        />
      )}
      <Field
        label={t("At least")}
        hint={
          standard === "ERC20"
            ? t("In the token's smallest unit: with 18 decimals, one token is 1 and 18 zeros.")
            : undefined
        }
        inputMode="numeric"
        value={min}
        onChange={(event) => setMin(event.target.value)}
        problem={minProblem}
        autoComplete="off"
      />
    </Ask>
  );
}
