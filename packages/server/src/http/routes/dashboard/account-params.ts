/** Schemas of the paths under `/data/:account/:mode`. `guard.ts` checks the account and the mode. */
import Type from "typebox";
import { closed, Id } from "../params.ts";

const desk = { account: Type.String(), mode: Type.String() };

export const AtDesk = Type.Object(desk, closed);
export const AtDeskById = Type.Object({ ...desk, id: Id }, closed);
