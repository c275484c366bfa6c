"""The functions of Django that take part in finding rows, converting values and making instances.

A shortcut stands for all of them. ``test_fast_participants.py`` sees with a profiler which
functions run without shortcuts, and holds that each is called, or listed here, so that a
replacement is noticed (:mod:`lintel.fast.originals`). One list for each tested version: what all
have, and what single versions add. Sections name the uses of their functions (:data:`USES`), their
lines a module below ``django`` and what is in it: names of functions, and ``Class: names``.
"""

from collections.abc import Iterator, Mapping

import django

#: One row by a condition, related rows by joins, many rows, their number; and what depends on the
#: database.
USES = ("one", "joined", "many", "count", "a database")

_IN_ALL = """
a database:
    db.backends.base.features BaseDatabaseFeatures: allows_group_by_selected_pks_on_model
    db.backends.base.operations BaseDatabaseOperations: _get_limit_offset_params
    db.backends.base.operations BaseDatabaseOperations: check_expression_support compiler
    db.backends.base.operations BaseDatabaseOperations: force_no_ordering get_db_converters
    db.backends.base.operations BaseDatabaseOperations: integer_field_range limit_offset_sql
    db.backends.base.operations BaseDatabaseOperations: lookup_cast prepare_join_on_clause
    db.backends.postgresql.operations DatabaseOperations: lookup_cast prepare_join_on_clause
    db.backends.postgresql.operations DatabaseOperations: quote_name
    db.backends.postgresql.psycopg_any BaseTzLoader: load
    db.backends.sqlite3.operations DatabaseOperations: check_expression_support
    db.backends.sqlite3.operations DatabaseOperations: convert_booleanfield_value
    db.backends.sqlite3.operations DatabaseOperations: convert_datetimefield_value
    db.backends.sqlite3.operations DatabaseOperations: get_decimalfield_converter
    db.backends.sqlite3.operations DatabaseOperations: integer_field_range quote_name
count:
    db.models.aggregates Aggregate: __init__ as_sql get_group_by_cols get_source_expressions
    db.models.aggregates Aggregate: resolve_expression set_source_expressions; Count: __init__
    db.models.aggregates Count: resolve_expression
    db.models.expressions BaseExpression: _parse_expressions convert_value get_db_converters
    db.models.expressions BaseExpression: get_refs replace_expressions; Col: get_group_by_cols
    db.models.expressions Func: __init__ as_sql copy get_source_expressions set_source_expressions
    db.models.expressions SQLiteNumericMixin: as_sqlite; Star: as_sql
    db.models.fields.reverse_related ForeignObjectRel: get_extra_restriction
    db.models.fields BigAutoField: rel_db_type; BigIntegerField: get_internal_type
    db.models.sql.compiler SQLAggregateCompiler: as_sql; SQLCompiler: collapse_group_by
    db.models.sql.query Query: _gen_cols append_annotation_mask check_alias clear_limits clone
    db.models.sql.query Query: get_aggregation get_count set_annotation_mask
    db.models.sql.subqueries AggregateQuery: __init__
joined:
    db.models.fields.related ForeignObject: get_joining_fields
    db.models.fields.reverse_related ForeignObjectRel: remote_field
    db.models.fields Field: __hash__
    db.models.query RelatedPopulator: __init__ populate
    db.models.sql.compiler select_related_descend; SQLCompiler: get_related_selections
    db.models.sql.datastructures BaseTable: __eq__; Join: __eq__ __init__
    db.models.sql.query Query: is_nullable
joined, count:
    db.models.fields normalize_choices; AutoField: rel_db_type; Field: __init__ db_type
    db.models.fields Field: db_type_parameters
    db.models.fields.related ForeignKey: db_type; ForeignObject: get_extra_restriction
    db.models.sql.datastructures Join: as_sql
    utils.datastructures DictWrapper: __init__
joined, many:
    db.models.fields.mixins FieldCacheMixin: is_cached
    db.models.fields.related ForeignKey: get_col get_db_converters
    db.models.fields.related_descriptors ForeignKeyDeferredAttribute: __set__
joined, many, count:
    db.models.expressions BaseExpression: __init__; Col: __init__
    db.models.fields.related ForeignKey: target_field
many:
    db.models.base Model: __init__ _get_pk_val _is_pk_set from_db pk
    db.models.base ModelStateFieldsCacheDescriptor: __get__
    db.models.expressions OrderBy: __init__ as_sql get_source_expressions set_source_expressions
    db.models.fields.mixins FieldCacheMixin: get_cached_value set_cached_value
    db.models.fields.related ForeignObject: get_extra_descriptor_filter get_foreign_related_value
    db.models.fields.related ForeignObject: get_instance_value_for_fields get_local_related_value
    db.models.fields.related RelatedField: get_reverse_related_filter related_query_name
    db.models.fields.related_descriptors ForwardManyToOneDescriptor: __get__ get_object
    db.models.fields.related_descriptors ForwardManyToOneDescriptor: get_queryset
    db.models.fields.related_descriptors ReverseManyToOneDescriptor: __get__
    db.models.fields DecimalField: get_internal_type; TextField: get_internal_type
    db.models.manager BaseManager: __init__ __new__ _set_creation_counter all db_manager
    db.models.options Options: get_ancestor_link label
    db.models.query QuerySet: _add_hints _next_is_sticky
    db.models.query_utils DeferredAttribute: __get__; Q: __and__ _combine
    db.models.sql.compiler get_order_dir; PositionRef: __init__; SQLCompiler: _setup_joins
    db.models.sql.compiler SQLCompiler: find_ordering_name
    db.utils ConnectionRouter: db_for_read
    dispatch.dispatcher Signal: send
    utils.timezone is_aware make_aware
    utils.tree Node: copy
many, count:
    db.models.expressions make_hashable; Expression: __hash__ _identity identity; Ref: __init__
    db.models.sql.compiler make_hashable
    utils.functional classproperty: __get__
one:
    db.models.expressions BaseExpression: contains_aggregate contains_over_clause get_lookup
    db.models.lookups BuiltinLookup: as_sql process_lhs
    db.models.lookups FieldGetDbPrepValueMixin: get_db_prep_lookup; Lookup: __init__ get_prep_lhs
    db.models.lookups Lookup: get_source_expressions process_lhs rhs_is_direct_value
    db.models.manager BaseManager: get_queryset
    db.models.query QuerySet: _not_support_combined_queries query
    db.models.query_utils Q: __init__ __or__; RegisterLookupMixin: _get_lookup get_lookups
    db.models.query_utils class_or_instance_method: __get__
    db.models.sql.query JoinPromoter: __init__ add_votes update_join_types; Query: __init__ _add_q
    db.models.sql.query Query: _get_col add_q build_filter build_lookup chain check_filterable
    db.models.sql.query Query: check_related_objects clone demote_joins get_meta is_sliced
    db.models.sql.query Query: promote_joins resolve_lookup_value solve_lookup_type
    db.models.sql.where WhereNode: clone
    db.utils DatabaseErrorWrapper: __call__
    utils.functional LazyObject: __getattr__
    utils.tree Node: __bool__ __init__ add create
one, count:
    db.models.fields IntegerField: get_internal_type
one, many:
    db.models.expressions Col: get_db_converters; Expression: __new__; F: __hash__
    db.models.expressions F: resolve_expression; Func: __new__; OrderBy: __new__
    db.models.fields.composite unnest
    db.models.fields BooleanField: get_internal_type; CharField: get_internal_type
    db.models.fields DateTimeField: get_internal_type; Field: __eq__ get_col
    db.models.lookups BuiltinLookup: get_rhs_op; Exact: as_sql get_prep_lookup
    db.models.lookups IntegerFieldOverflow: process_rhs; Lookup: get_prep_lookup process_rhs
    db.models.manager Manager: get
    db.models.options Options: get_field
    db.models.query get_related_populators; BaseIterable: __init__; ModelIterable: __iter__
    db.models.query QuerySet: __len__ get
    db.models.sql.compiler cursor_iter; SQLCompiler: get_default_columns results_iter
    db.models.sql.datastructures BaseTable: __init__
    db.models.sql.query Query: add_ordering base_table can_filter get_initial_alias join
    db.models.sql.query Query: join_parent_model names_to_path ref_alias resolve_ref set_limits
    db.models.sql.query Query: setup_joins table_alias trim_joins
    db.models.sql.where WhereNode: _contains_aggregate _contains_over_clause contains_aggregate
    db.models.sql.where WhereNode: contains_over_clause
    utils.functional cached_property: __get__
one, many, count:
    db.models.expressions BaseExpression: __getstate__ copy get_source_expressions
    db.models.expressions BaseExpression: resolve_expression select_format set_source_expressions
    db.models.expressions Col: as_sql
    db.models.fields AutoField: get_internal_type; BigAutoField: get_internal_type
    db.models.fields Field: get_db_converters select_format
    db.models.sql.compiler SQLCompiler: __init__ _order_by_pairs apply_converters as_sql compile
    db.models.sql.compiler SQLCompiler: execute_sql get_converters get_distinct get_extra_select
    db.models.sql.compiler SQLCompiler: get_from_clause get_group_by get_order_by get_select
    db.models.sql.compiler SQLCompiler: has_composite_fields pre_sql_setup quote_name_unless_alias
    db.models.sql.compiler SQLCompiler: setup_query
    db.models.sql.datastructures BaseTable: as_sql
    db.models.sql.query Query: annotation_select clear_ordering extra_select get_compiler
    db.models.sql.query Query: get_select_mask reset_refcounts unref_alias
    db.models.sql.where WhereNode: as_sql split_having_qualify
"""

#: What single versions of Django have besides.
_ADDED: Mapping[tuple[int, int], str] = {
    (5, 2): """
a database:
    db.backends.postgresql.compiler SQLCompiler: quote_name_unless_alias
""",
    (6, 0): """
count:
    db.models.expressions OrderByList: from_param
many:
    db.models.fields.related_descriptors _traverse_ancestors
""",
    (6, 1): """
a database:
    db.backends.postgresql.psycopg_any BaseTzLoader: __init__
    db.backends.sqlite3.operations DatabaseOperations: _create_decimal
count:
    db.models.expressions OrderByList: from_param
    db.models.sql.query Query: orderby_issubset_groupby
joined:
    db.models.sql.compiler SQLCompiler: get_select_from_parent
many:
    db.models.base ModelState: __del__
    db.models.fetch_modes FetchOne: fetch
    db.models.fields.related_descriptors _traverse_ancestors
    db.models.fields.related_descriptors ForwardManyToOneDescriptor: fetch_one
    db.models.manager Manager: fetch_mode
    db.models.query PreventQuerySetCloning: __enter__ __exit__ __init__; QuerySet: _avoid_cloning
    db.models.query QuerySet: _disable_cloning _enable_cloning fetch_mode
    db.models.query_utils Q: create
one:
    db.models.query_utils Q: _check_connector
one, many:
    db.models.query _get_from_db
one, many, count:
    db.models.sql.compiler SQLCompiler: quote_name
""",
}


def participants(use: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield module, class (empty for functions of the module) and names, for this Django."""
    uses: list[str] = []
    for line in f"{_IN_ALL}{_ADDED.get(django.VERSION[:2], '')}".splitlines():
        if not line.startswith(" "):
            uses = line.removesuffix(":").split(", ")
        elif use in uses:
            module, _, listed = line.strip().partition(" ")
            for part in listed.split("; "):
                owner, _, names = part.rpartition(": ")
                yield f"django.{module}", owner, tuple(names.split())


def names_of(*owners: str) -> frozenset[str]:
    """Return the functions of classes with these names, in whichever module."""
    return frozenset(
        name
        for use in USES
        for _, owner, names in participants(use)
        if owner in owners
        for name in names
    )
