/**
 * The script of the runner document, inlined in it. See `threeds/run-bank.ts` for what it does and which messages it
 * trusts.
 */
import { runBank } from "./threeds/run-bank.ts";

runBank(window);
