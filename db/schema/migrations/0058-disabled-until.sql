-- The next time at which an identity is enabled again, which what clients reach asks for each group of routers.
CREATE INDEX identities_disabled_until ON identities (disabled_until) WHERE disabled_until IS NOT NULL;
