/**
 * The public names of the package: reading and writing `.flight` recordings.
 */

export { BLOCK, blockName } from "./blocks/block-type.ts";
export { EventList } from "./blocks/event-ring.ts";
export type { CodeRecord, EventRecord, EventRing, EventRingInput } from "./blocks/event-ring.ts";
export type { ExceptionRecord } from "./blocks/exception.ts";
export type { Extension } from "./blocks/extension.ts";
export type { FrameLocal, FrameRecord } from "./blocks/frame.ts";
export type { Meta } from "./blocks/meta.ts";
export type { MutationRecord, MutationValue } from "./blocks/mutation.ts";
export { ObjectTable, SCALAR_KINDS } from "./blocks/object.ts";
export type { ObjectItem, ObjectNode } from "./blocks/object.ts";
export type { SourceRecord } from "./blocks/source.ts";
export type { TapeRecord } from "./blocks/tape.ts";
export { IdMap, normalizeId } from "./bytes/id.ts";
export type { Id } from "./bytes/id.ts";
export { decodeMsgpack, encodeMsgpack } from "./bytes/msgpack.ts";
export type { MsgpackExt, MsgpackLimits } from "./bytes/msgpack.ts";
export { wellFormed } from "./bytes/text.ts";
export { pureCodec, zlibCodec } from "./codec.ts";
export type { Codec, ZlibLike } from "./codec.ts";
export { blake2b } from "./digest/blake2b.ts";
export { toHex } from "./digest/hex.ts";
export { sha1Hex } from "./digest/sha1.ts";
export { sha256 } from "./digest/sha256.ts";
export {
  AGE_BOX_STANZA,
  AGE_CHUNK_BYTES,
  AGE_NONCE_BYTES,
  AGE_TAG_BYTES,
  ageChunkNonce,
  encodeAgeHeader,
  findAgeHeaderEnd,
  isAgeFile,
  parseAgeRecipient,
} from "./encryption/age-file.ts";
export type { AgeStanza } from "./encryption/age-file.ts";
export { encodeBase64 } from "./encryption/base64.ts";
export { encryptedForm } from "./encryption/encrypted-form.ts";
export type { EncryptedForm } from "./encryption/encrypted-form.ts";
export {
  beginEnvelope,
  ENVELOPE_SCRYPT,
  isEnvelope,
  openEnvelope,
  readEnvelope,
  sealEnvelope,
} from "./encryption/envelope.ts";
export type {
  AesGcmInput,
  EnvelopeCrypto,
  EnvelopeParts,
  ScryptParameters,
} from "./encryption/envelope.ts";
export { FLIGHT_ERROR_CODES, FlightError, isFlightError } from "./errors.ts";
export type { FlightErrorCode } from "./errors.ts";
export type { PlannedBlock } from "./extensions/manifest.ts";
export type { Digest } from "./extensions/seal.ts";
export type { AliasPlace } from "./read/aliases.ts";
export type { ByteSource } from "./read/byte-source.ts";
export type { SealState } from "./read/check-seal.ts";
export type { BlockInfo } from "./read/find-blocks.ts";
export type { RecordingHeader } from "./read/header.ts";
export { DEFAULT_LIMITS } from "./read/limits.ts";
export type { Limits } from "./read/limits.ts";
export { openRecording } from "./read/open-recording.ts";
export type { OpenOptions } from "./read/open-recording.ts";
export type { Problem, ProblemKind } from "./read/problems.ts";
export type { Recording, RecordingStatus } from "./read/recording.ts";
export { RecordingWriter } from "./write/recording-writer.ts";
export type {
  MetaInput,
  RecordingSink,
  SourceInput,
  WriterOptions,
} from "./write/recording-writer.ts";
export { storedFrame } from "./zstd/stored-frame.ts";
