/** Services as the fabric knows them: those that policies give access to, and those that the fabric API alone shows. */
import type { BaseEntity, Tags } from '../model.js';
import type { Strategy } from './terminator-choice.js';

export interface FabricServiceDraft {
  readonly name: string;
  readonly terminatorStrategy: Strategy;
  /** 0 for any time. */
  readonly maxIdleTimeMillis: number;
  readonly tags: Tags;
}

export interface FabricService extends BaseEntity, FabricServiceDraft {}
