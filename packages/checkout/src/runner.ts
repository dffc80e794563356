/**
 * The script of the runner document, inlined in it; what it does and whom it believes stands in `threeds/run-bank.ts`.
 */
import { runBank } from "./threeds/run-bank.ts";

runBank(window);
