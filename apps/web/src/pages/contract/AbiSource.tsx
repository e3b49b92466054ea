import { Button, TextArea, useTranslation } from "@purse/ui";
import { useState } from "react";
import { readPastedAbi } from "./abi.ts";
import { storeAbi } from "./contractStorage.ts";

export interface AbiSourceProps {
  /** As returned by `contractKey`. */
  contract: string;
  isPasted: boolean;
  hasAbi: boolean;
  /** Whether it follows a token standard; otherwise only detected functions are known. */
  isStandard: boolean;
  onChange: (text: string | undefined) => void;
}

/** Shows the source of the ABI, which can be pasted and is stored in this browser. */
export function AbiSource({ contract, isPasted, hasAbi, isStandard, onChange }: AbiSourceProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(!hasAbi);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  function applyAbi() {
    try {
      readPastedAbi(text);
      storeAbi(contract, text);
      onChange(text);
      setIsOpen(false);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? t(error.message) : undefined);
    }
  }
  if (!isOpen) {
    return (
      <div className="row">
        <span className="small soft">
          {isPasted
            ? t("Using the ABI you pasted")
            : isStandard
              ? t("ABI inferred from its token standard and known selectors")
              : t("ABI inferred from known selectors; it may be incomplete")}
        </span>
        <Button small onClick={() => setIsOpen(true)}>
          {t("Paste ABI")}
        </Button>
        {isPasted && (
          <Button
            small
            variant="quiet"
            onClick={() => {
              storeAbi(contract, undefined);
              onChange(undefined);
            }}
          >
            {t("Remove ABI")}
          </Button>
        )}
      </div>
    );
  }
  return (
    <div className="stack tight">
      <TextArea
        label={t("ABI")}
        value={text}
        rows={6}
        spellCheck={false}
        onText={setText}
        problem={problem}
        hint={t("Compiler JSON, or Solidity signatures, one per line.")}
      />
      <div className="row">
        <Button variant="primary" onClick={applyAbi}>
          {t("Use this ABI")}
        </Button>
        {hasAbi && <Button onClick={() => setIsOpen(false)}>{t("Cancel")}</Button>}
      </div>
    </div>
  );
}
