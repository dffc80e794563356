/** An error message (Table A.4 of the specification), and the descriptions of its codes. */
import type { Erro, MessageVersion } from "@oriel/protocol/threeds";

interface ErroFields {
  code: ErroCode;
  /** Names fields, never their values. */
  detail: string;
  /** Version of the refused message, or the latest version if that one isn't supported. */
  version?: MessageVersion | undefined;
  /** `messageType` of the refused message. */
  about?: string;
  /** D: the directory server. A: the ACS. */
  component?: "D" | "A";
  threeDSServerTransID?: string | undefined;
  acsTransID?: string | undefined;
}

export function erro(fields: ErroFields): Erro {
  const { code, detail, version = "2.3.1", about = "", component = "D", threeDSServerTransID, acsTransID } = fields;
  return {
    messageType: "Erro",
    messageVersion: version,
    errorCode: code,
    errorComponent: component,
    errorDescription: descriptions[code],
    errorDetail: detail,
    errorMessageType: about,
    ...(threeDSServerTransID === undefined ? {} : { threeDSServerTransID }),
    ...(acsTransID === undefined ? {} : { acsTransID }),
  };
}

const descriptions = {
  "101": "Message Received Invalid",
  "102": "Message Version Number Not Supported",
  "201": "Required Data Element Missing",
  "203": "Format of one or more Data Elements is Invalid",
  "304": "ISO Code Invalid",
  "305": "Transaction Data Not Valid",
  "402": "Transaction Timed Out",
  "403": "Transient System Failure",
  "404": "Permanent System Failure",
} as const;

export type ErroCode = keyof typeof descriptions;
