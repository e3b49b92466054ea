import { SecondFactor } from "@purse/ui";
import { useOperator, useStudio } from "../../StudioContext.tsx";

/** The second factor of the signed-in operator. */
export function OwnSecondFactor() {
  const studio = useStudio();
  const { hasSecondFactor } = useOperator();
  return (
    <SecondFactor
      isOn={hasSecondFactor}
      requestKey={(password) => studio.post("/second-factor", { password })}
      confirm={async (code) => {
        const { recoveryCodes } = await studio.put("/second-factor", { code });
        return recoveryCodes;
      }}
      remove={(credentials) => studio.delete("/second-factor", credentials)}
      onChanged={() => void studio.loadSession()}
    />
  );
}
