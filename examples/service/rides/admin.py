"""The tables in Django's admin, for comparison."""

from django.contrib import admin

from rides.models import Bike, Booking, Report, Station


@admin.register(Station)
class StationAdmin(admin.ModelAdmin):
    list_display = ["name", "district", "docks", "opened"]
    list_filter = ["district"]
    search_fields = ["name"]


@admin.register(Bike)
class BikeAdmin(admin.ModelAdmin):
    list_display = ["number", "kind", "station", "in_service"]
    list_filter = ["kind", "in_service"]
    search_fields = ["number"]


admin.site.register([Report, Booking])
