/** Schemas of the addresses under `/data/:account/:mode`; `guard.ts` says what their account and mode must be. */
import Type from "typebox";
import { closed, Id } from "../params.ts";

const desk = { account: Type.String(), mode: Type.String() };

export const AtDesk = Type.Object(desk, closed);
export const AtDeskById = Type.Object({ ...desk, id: Id }, closed);
