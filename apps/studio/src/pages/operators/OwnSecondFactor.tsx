import { SecondFactor } from "@purse/ui";
import { proveFactor } from "../../access/passkeyProof.ts";
import { useStudioList } from "../../components/useStudioQuery.ts";
import { useOperator, useStudio } from "../../StudioContext.tsx";

/** The second factor of the signed-in operator. */
export function OwnSecondFactor() {
  const studio = useStudio();
  const { hasSecondFactor } = useOperator();
  const passkeys = useStudioList("/passkeys", {});
  return (
    <SecondFactor
      isOn={hasSecondFactor}
      requestKey={(password) => studio.post("/second-factor", { password })}
      confirm={async (code) => {
        const { recoveryCodes } = await studio.put("/second-factor", { code });
        return recoveryCodes;
      }}
      allowsPasskey={(passkeys.data ?? []).length > 0}
      remove={async ({ password, code }) =>
        studio.delete("/second-factor", { password, ...(await proveFactor(studio, code)) })
      }
      onChanged={() => void studio.loadSession()}
    />
  );
}
