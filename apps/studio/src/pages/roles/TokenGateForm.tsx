import type { StudioChain } from "@purse/server/studio-api";
import { address, Field, FormDialog, optionalText, Select, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { chainLabel } from "../../components/chainLabel.ts";
import { stringField } from "../../components/fields.ts";
import type { Role } from "../../components/useRoles.ts";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { useRoleChanges } from "./roleChanges.ts";

const STANDARDS = ["ERC20", "ERC721", "ERC1155"] as const;
const UNSIGNED_INTEGER = /^\d{1,78}$/;

const GATE = z
  .object({
    chainId: z.string(),
    standard: z.enum(STANDARDS),
    token: address,
    tokenId: optionalText,
    min: optionalText.check(
      z.refine(
        (text) => UNSIGNED_INTEGER.test(text) && BigInt(text) >= 1n,
        "Enter a whole number of 1 or more.",
      ),
    ),
  })
  .check(
    z.refine(
      ({ standard, tokenId }) =>
        standard === "ERC20" || UNSIGNED_INTEGER.test(tokenId) || (standard === "ERC721" && tokenId === ""),
      { path: ["tokenId"], error: "Enter a whole number." },
    ),
  );

export interface TokenGateFormProps {
  role: Role;
  chains: readonly StudioChain[];
  onClose: () => void;
}

/** Creates or edits the token gate of a role. */
export function TokenGateForm({ role, chains, onClose }: TokenGateFormProps) {
  const { t } = useTranslation();
  const { gate = {} } = role;
  const form = useForm(GATE, {
    chainId: stringField(gate, "chainId") || String(chains[0]?.chain ?? ""),
    standard: STANDARDS.find((each) => each === gate.standard) ?? "ERC20",
    token: stringField(gate, "token"),
    tokenId: stringField(gate, "tokenId"),
    min: stringField(gate, "min") || "1",
  });
  const { standard } = form.values;
  const { setGate } = useRoleChanges();
  const save = useStudioMutation(
    (_, { chainId, tokenId, ...values }: z.infer<typeof GATE>) =>
      setGate(role.id, {
        ...values,
        chainId: Number(chainId),
        ...(values.standard !== "ERC20" && tokenId !== "" && { tokenId }),
      }),
    t("Token gate saved"),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Token gate of {role}", { role: role.name })}
      description={t("Users whose linked wallets hold the token are members of this role.")}
      confirmLabel={t("Save")}
      form={form}
      mutation={save}
    >
      <Select
        label={t("Chain")}
        {...form.choice("chainId")}
        options={chains.map(({ chain, name, title }) => ({
          key: String(chain),
          label: `${chainLabel({ name, title }, t)} (${chain})`,
        }))}
      />
      <Select
        label={t("Standard")}
        {...form.choice("standard")}
        options={{
          ERC20: t("ERC20 (fungible token)"),
          ERC721: t("ERC721 (NFT)"),
          ERC1155: t("ERC1155 (multi-token)"),
        }}
      />
      <Field label={t("Token address")} {...form.input("token")} isCode />
      {standard !== "ERC20" && (
        <Field
          label={t("Token ID")}
          hint={
            standard === "ERC721"
              ? t("Leave empty to accept any token of the collection.")
              : t("ERC1155 requires a token ID.")
          }
          inputMode="numeric"
          {...form.input("tokenId")}
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
        {...form.input("min")}
        autoComplete="off"
      />
    </FormDialog>
  );
}
