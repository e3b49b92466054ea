/** How an operator calls the commands of this installation: the installed `purse` command sets its own name. */
export const PROGRAM = process.env.PURSE_PROGRAM ?? "npm run purse --";
