/** Types of the page's calls, read off the documents: no operation, parameter or member is named by hand. */
import type { OperationsOf } from '../../../generated/operations.js';

export type PageApi = 'management' | 'fabric';
export type CallName<A extends PageApi> = keyof OperationsOf[A] & string;

type Spec<A extends PageApi, O extends CallName<A>> = OperationsOf[A][O];
type Part<T, K extends string> = K extends keyof T ? T[K] : never;
type IsEmpty<T> = keyof T extends never ? true : false;

/** Members that a call sends. Parameters of the path are required where there are any. */
export type CallInput<A extends PageApi, O extends CallName<A>> = (IsEmpty<Part<Spec<A, O>, 'params'>> extends true
  ? { readonly params?: undefined }
  : { readonly params: Part<Spec<A, O>, 'params'> }) & {
  readonly query?: Partial<Part<Spec<A, O>, 'query'>>;
  readonly body?: Part<Spec<A, O>, 'body'>;
};

type Success<R> = R extends { 200: infer T } ? T : R extends { 201: infer T } ? T : never;

/** Answer to a call that succeeds. */
export type CallAnswer<A extends PageApi, O extends CallName<A>> = Success<Part<Spec<A, O>, 'responses'>>;

/** `data` of that answer. */
export type CallData<A extends PageApi, O extends CallName<A>> = CallAnswer<A, O> extends { data: infer D } ? D : never;
