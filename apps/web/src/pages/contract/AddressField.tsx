import { Field, useTranslation } from "@purse/ui";
import { useEffect } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { isDomainName, resolveName } from "../../wallet/domainNames.ts";
import { useChecksum } from "../../wallet/useChecksum.ts";

export interface AddressFieldProps {
  label: string;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
  /** Called with the address of a name that was entered. */
  onResolved: (name: string, address: string) => void;
}

/** An input for an address or a name, whose address is shown and used. */
export function AddressField({ label, value, problem, onChange, onResolved }: AddressFieldProps) {
  const { t } = useTranslation();
  const checksumOf = useChecksum();
  const name = isDomainName(value.trim()) ? value.trim() : undefined;
  const found = useServerQuery({
    queryKey: name === undefined ? undefined : ["address of name", name],
    queryFn: (options) => resolveName(name ?? "", options),
  });
  const address = name !== undefined && found.data ? checksumOf(found.data) : undefined;
  useEffect(() => {
    if (name !== undefined && address !== undefined) onResolved(name, address);
  }, [name, address, onResolved]);
  return (
    <Field
      label={label}
      value={value}
      onText={onChange}
      isCode
      placeholder={t("0x… or a name such as ada.eth")}
      hint={name === undefined ? undefined : (address ?? nameHint())}
      problem={address === undefined ? problem : undefined}
    />
  );

  function nameHint(): string {
    if (found.error) return t("This name could not be resolved. Try again, or paste the address.");
    return found.data === null ? t("This name does not resolve to an address.") : t("Resolving name…");
  }
}
