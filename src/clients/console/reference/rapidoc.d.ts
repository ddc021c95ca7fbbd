/** RapiDoc defines the element `rapi-doc` and exports nothing. */
declare module 'rapidoc'
